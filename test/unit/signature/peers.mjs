/** Asks the packages that come as ES modules only, which Jest cannot load: JSON on standard input, JSON on standard output. */
import { sign, verify } from '@octokit/webhooks-methods';
import { Webhook } from 'svix';

const answers = {
  octokitSign: ({ secret, body }) => sign(secret, body),
  octokitVerify: ({ secret, body, signature }) => verify(secret, body, signature),
  svixSign: ({ secret, id, timestamp, body }) =>
    new Webhook(secret).sign(id, new Date(timestamp * 1000), body),
  svixVerify: ({ secret, body, headers }) => {
    try {
      new Webhook(secret).verify(body, headers);
      return true;
    } catch {
      return false;
    }
  },
};

let input = '';
for await (const chunk of process.stdin) input += chunk;
const questions = JSON.parse(input);
const replies = await Promise.all(questions.map((question) => answers[question.ask](question)));
process.stdout.write(JSON.stringify(replies));
