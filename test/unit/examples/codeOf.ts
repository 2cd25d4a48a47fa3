/** Runs a Code node of an example with what other nodes have put out. */
import { runInNewContext } from 'node:vm';
import { DateTime } from 'luxon';
import { z } from 'zod/v4';
import { example } from '../../support/n8n/examples';
