/**
 * The same with a first step, to measure what a trigger costs that has to run in each execution. With `execute()`, n8n runs
 * the node instead of taking the items over from the webhook.
 */
const { FloorTrigger } = require('./FloorTrigger.node.js');

class FloorStepTrigger extends FloorTrigger {
  description = {
    ...this.description,
    displayName: 'Floor Step Trigger',
    name: 'floorStepTrigger',
  };

  async execute() {
    return [this.getInputData()];
  }
}

module.exports = { FloorStepTrigger };
