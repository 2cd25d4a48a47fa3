/** A trigger that checks and remembers nothing, to measure what any community trigger costs. n8n loads it without a build. */
class FloorTrigger {
  description = {
    displayName: 'Floor Trigger',
    name: 'floorTrigger',
    group: ['trigger'],
    version: 2,
    description: 'Does nothing',
    defaults: { name: 'Floor Trigger' },
    inputs: [],
    outputs: ['main'],
    webhooks: [
      {
        name: 'default',
        httpMethod: 'POST',
        responseMode: 'onReceived',
        responseData: '',
        path: 'webhook',
      },
      {
        name: 'setup',
        httpMethod: 'POST',
        responseMode: 'lastNode',
        responseData: 'noData',
        path: 'done',
      },
    ],
    properties: [],
  };

  async webhook() {
    const event = this.getBodyData();
    if (event.refuse !== true) {
      return { workflowData: [[{ json: event }]], webhookResponse: { status: 'accepted' } };
    }
    this.getResponseObject().status(401).json({ status: 'rejected' });
    return { noWebhookResponse: true };
  }
}

module.exports = { FloorTrigger };
