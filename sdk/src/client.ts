import { ApiKeys } from './api-keys.ts';
import { Audiences } from './audiences.ts';
import { Campaigns } from './campaigns.ts';
import { ContactImports } from './contact-imports.ts';
import { Contacts } from './contacts.ts';
import { Events } from './events.ts';
import { Inboxes } from './inboxes.ts';
import { Messages } from './messages.ts';
import { Sends } from './sends.ts';
import { Sequences } from './sequences.ts';
import { Suppressions } from './suppressions.ts';
import { TestClockResource } from './test-clock.ts';
import { Threads } from './threads.ts';
import { Transport } from './transport.ts';
import { WebhookEndpoints } from './webhook-endpoints.ts';
import { WorkspaceResource } from './workspace.ts';

/** The Postrider API: one property per resource, and `request` for whatever has no method yet. */
export class Postrider extends Transport {
  readonly apiKeys = new ApiKeys(this);
  readonly audiences = new Audiences(this);
  readonly campaigns = new Campaigns(this);
  readonly contactImports = new ContactImports(this);
  readonly contacts = new Contacts(this);
  readonly events = new Events(this);
  readonly inboxes = new Inboxes(this);
  readonly messages = new Messages(this);
  readonly sends = new Sends(this);
  readonly sequences = new Sequences(this);
  readonly suppressions = new Suppressions(this);
  readonly testClock = new TestClockResource(this);
  readonly threads = new Threads(this);
  readonly webhooks = new WebhookEndpoints(this);
  readonly workspace = new WorkspaceResource(this);
}
