/** A fault that is made on purpose, by the patch of its name in `mutants/`. */
export interface Mutant {
  name: string
  /** What is broken, as a person would notice it. */
  breaks: string
  /** Files and folders whose tests may notice it, on every level. */
  tests: readonly string[]
  /** Why no test of `npm test` notices it, only an experiment. */
  whyOnlyExperiments?: string
}

const TASKS = ['src/resources/tasks']
const ACCESS = ['test/tenants-and-roles', 'src/resources/projects', 'src/resources/tags']
const DELIVERY = ['src/webhooks', 'src/resources/deliveries', 'test/delivery']
const OAUTH = ['test/oauth', 'src/accounts/oauth-consent', 'src/http/oauth']
const SESSIONS = ['src/accounts', 'test/sessions', 'test/http/sessions.test.ts', 'src/auth']
const REPLICA = ['web/src/replica', 'web/src/data', 'test/replica']
const MUTATIONS = ['web/src/data', 'test/sync']
const MCP = ['test/mcp']
const UNDO = ['src/resources/operations']
const APPROVALS = ['src/resources/approvals', 'src/accounts/approvals']
const IMPORTERS = ['src/importers', 'test/importers']

/**
 * Faults in every part of Docket. `results.json` says which tests notice those that were tried. A new
 * promise gets a fault that breaks it.
 */
export const MUTANTS: readonly Mutant[] = [
  // The domain.
  {
    name: 'dates-unordered',
    breaks: 'A task may start after it is due',
    tests: TASKS,
  },
  {
    name: 'dependency-cycle',
    breaks: 'A task may wait for a task that waits for it',
    tests: TASKS,
  },
  {
    name: 'completed-task-recurs-twice',
    breaks: 'A completed task keeps its rule and recurs again when it is completed again',
    tests: TASKS,
  },
  {
    name: 'added-tags-without-limit',
    breaks: 'Adding to the tags of a task gives it more than 50',
    tests: TASKS,
  },
  {
    name: 'guest-deletes-subtasks',
    breaks: 'A guest may delete subtasks of others with a task',
    tests: [...TASKS, 'test/tenants-and-roles'],
  },
  {
    name: 'trash-without-end',
    breaks: 'A deleted task may be restored after 30 days',
    tests: [...TASKS, 'src/jobs'],
  },
  {
    name: 'two-running-timers',
    breaks: 'Starting a timer leaves another one of the person running',
    tests: ['src/resources/time-entries', 'test/concurrency'],
  },
  {
    name: 'comment-of-another-author',
    breaks: 'Anybody who sees a comment may edit it',
    tests: ['src/resources/comments', 'test/tenants-and-roles'],
  },
  {
    name: 'mention-of-a-stranger',
    breaks: 'A comment notifies people who do not see the project',
    tests: ['src/resources/comments', 'src/resources/notifications'],
  },
  // Tools for agents.
  {
    name: 'text-closes-its-block',
    breaks: 'A text that somebody wrote can end the block that marks it as data for an agent',
    tests: MCP,
  },
  {
    name: 'tools-beyond-scopes',
    breaks: 'An agent is offered tools that its credential may not use',
    tests: MCP,
  },
  {
    name: 'preview-that-writes',
    breaks: 'The preview of a change makes the change',
    tests: MCP,
  },
  // Undo, supervision and why.
  {
    name: 'undo-over-others',
    breaks: 'An undo overwrites what somebody has changed since',
    tests: UNDO,
  },
  {
    name: 'operation-of-others',
    breaks: 'A member reads and undoes the operations of others',
    tests: UNDO,
  },
  {
    name: 'supervision-forgets-the-hour',
    breaks: 'Many small requests get round the number of records an hour that a person set',
    tests: APPROVALS,
  },
  {
    name: 'allowed-as-it-was',
    breaks: 'A request that was allowed runs although it would do something else by now',
    tests: APPROVALS,
  },
  {
    name: 'paused-program-allowed',
    breaks: 'A request of a credential that was stopped runs all the same',
    tests: APPROVALS,
  },
  {
    name: 'why-of-others',
    breaks: 'A member reads what became of the requests of others',
    tests: ['src/resources/requests'],
  },
  // The pipeline.
  {
    name: 'idempotency-body-ignored',
    breaks: 'A key that is used for another request answers with the reply to the first one',
    tests: ['src/resources/tasks', 'test/concurrency/idempotency.test.ts'],
  },
  {
    name: 'idempotency-without-end',
    breaks: 'A key answers for longer than 24 hours',
    tests: ['test/http/clock-jumps.test.ts', 'src/jobs'],
  },
  {
    name: 'scope-ignored',
    breaks: 'A key may do what its scopes do not allow',
    tests: ['test/tenants-and-roles', 'test/http/error-messages.test.ts'],
  },
  {
    name: 'stale-rights-after-body',
    breaks: 'A right that ends while a body arrives suffices for the write',
    tests: ['test/http/rights-lost-during-body.test.ts'],
  },
  {
    name: 'if-match-ignored',
    breaks: 'A write overwrites a version that its client has not seen',
    tests: ['src/http', 'src/resources/tasks'],
  },
  {
    name: 'limit-off-by-one',
    breaks: 'A workspace may send one request more than its limit',
    tests: ['src/rate-limits', 'test/http/rate-limits.test.ts'],
  },
  {
    name: 'any-origin',
    breaks: 'A page of another site may write with the session of a visitor',
    tests: ['test/sessions', 'test/browser/app/cross-site-requests.test.ts'],
  },
  {
    name: 'proto-member',
    breaks: 'A body may contain a member named __proto__',
    tests: ['test/http/request-bodies.test.ts', 'src/http'],
  },
  // Tenancy.
  {
    name: 'private-projects-visible',
    breaks: 'Members see private projects',
    tests: ACCESS,
  },
  {
    name: 'guest-sees-workspace-projects',
    breaks: 'Guests see projects that are open to the members of the workspace',
    tests: ACCESS,
  },
  {
    name: 'foreign-tag-in-body',
    breaks: 'A task may take a tag of another project',
    tests: [...TASKS, 'test/tenants-and-roles'],
  },
  {
    name: 'join-across-workspaces',
    breaks: 'A statement joins the rows of all workspaces',
    tests: ['test/storage/distribution.test.ts', 'src/resources/attachments'],
  },
  // Storage.
  {
    name: 'migration-changes-rows',
    breaks: 'An upgrade changes what people have stored',
    tests: ['test/storage/migrations.test.ts'],
  },
  {
    name: 'reply-before-commit',
    breaks: 'A write is answered before it is on the disk',
    tests: [
      'test/storage/group-commit.test.ts',
      'test/processes/kill-under-load.test.ts',
      'test/processes/failing-flush.test.ts',
    ],
  },
  {
    name: 'torn-refusal',
    breaks: 'What a refused write has changed before its refusal stays',
    tests: ['test/storage/group-commit.test.ts', 'src/core', 'src/resources/tasks'],
  },
  {
    name: 'failed-flush-goes-on',
    breaks: 'Writes go on after a commit that could not be flushed',
    tests: ['src/db/sqlite', 'test/storage/group-commit.test.ts', 'test/storage/sqlite.test.ts'],
  },
  {
    name: 'restore-beside-a-log',
    breaks: 'A backup is restored beside the write-ahead log of another database',
    tests: ['src/backup/restore-backup.test.ts', 'test/processes/backup.test.ts'],
  },
  {
    name: 'restored-positions-go-on',
    breaks: 'Readers of changes go on after a restore as if nothing had been taken back',
    tests: ['src/backup/restore-backup.test.ts'],
  },
  {
    name: 'two-servers-on-one-folder',
    breaks: 'A second server starts on the data directory of another one',
    tests: ['test/cli/server-process.test.ts'],
  },
  {
    name: 'sequence-with-gaps',
    breaks: 'The sequence of events has gaps',
    tests: ['src/resources/events', 'src/webhooks', 'test/storage/engines.test.ts'],
  },
  {
    name: 'page-repeats-a-record',
    breaks: 'A page begins with the last record of the page before it',
    tests: ['test/concurrency/pagination.test.ts', 'src/resources/tasks', 'src/resources/comments'],
  },
  {
    name: 'change-without-number',
    breaks: 'A change of a comment is missing in the feed of changes',
    tests: ['src/resources/changes', 'test/changes', 'src/resources/comments'],
  },
  // Delivery.
  {
    name: 'lane-out-of-order',
    breaks: 'An event of a task is sent before an earlier one that has failed',
    tests: DELIVERY,
  },
  {
    name: 'one-attempt-too-few',
    breaks: 'A delivery is given up after nine attempts',
    tests: DELIVERY,
  },
  {
    name: 'gone-goes-on',
    breaks: 'A receiver that has answered 410 gets further attempts',
    tests: DELIVERY,
  },
  {
    name: 'fencing-token-ignored',
    breaks: 'A process that has lost its claim records its results',
    tests: DELIVERY,
  },
  {
    name: 'unsendable-delivery-is-repeated',
    breaks: 'A delivery that can never be sent is tried ten times',
    tests: DELIVERY,
  },
  {
    name: 'blocked-address-beside-an-allowed-one',
    breaks: 'A name that resolves to an inner address beside a public one is called',
    tests: ['src/webhooks', 'test/ssrf'],
  },
  {
    name: 'event-before-webhook',
    breaks: 'A webhook gets events from before it was enabled',
    tests: DELIVERY,
  },
  // OAuth and sessions.
  {
    name: 'code-used-twice',
    breaks: 'A second use of a code leaves its tokens alive',
    tests: OAUTH,
  },
  {
    name: 'refresh-token-without-end',
    breaks: 'A used refresh token is accepted after its window',
    tests: OAUTH,
  },
  {
    name: 'grant-file-without-lock',
    breaks: 'Two processes of a client use one refresh token',
    tests: ['test/sdk/oauth.test.ts'],
  },
  {
    name: 'planted-consent',
    breaks: 'A browser goes on with an authorization whose cookies another site has planted',
    tests: OAUTH,
  },
  {
    name: 'left-workspace-vouches',
    breaks: 'A link sends somebody on to an application of a workspace that they have left',
    tests: OAUTH,
  },
  {
    name: 'session-without-idle-end',
    breaks: 'A session that nobody uses goes on for its whole lifetime',
    tests: SESSIONS,
  },
  {
    name: 'removed-member-keeps-session',
    breaks: 'The session of a removed member goes on',
    tests: [...SESSIONS, 'test/tenants-and-roles/roles.test.ts'],
  },
  // The web app's data.
  {
    name: 'late-read-wins',
    breaks: 'A read that arrives late takes back a newer change in the page',
    tests: REPLICA,
  },
  {
    name: 'gap-in-the-stream',
    breaks: 'What changed during a gap of the stream is not read again',
    tests: REPLICA,
  },
  {
    name: 'unsent-write-before-its-storage',
    breaks: 'A write is sent before the browser has stored it',
    tests: MUTATIONS,
  },
  {
    name: 'unsent-write-resent-unasked',
    breaks: 'A write is sent again after the server may have forgotten its key',
    tests: MUTATIONS,
  },
  {
    name: 'unsent-write-from-the-future',
    breaks: 'A write is sent unasked although the clock was set back since it was made',
    tests: MUTATIONS,
  },
  // The web app in a browser.
  {
    name: 'unsent-write-of-an-open-page',
    breaks: 'A page takes over what another open page is still sending',
    tests: ['test/browser/live/unsent-writes.test.ts'],
  },
  {
    name: 'page-without-its-session',
    breaks: 'A tab writes in the workspace that another tab has switched to',
    tests: ['test/browser/live/switched-workspace.test.ts'],
  },
  {
    name: 'copies-outlive-sign-out',
    breaks: 'What the browser has kept of a person is there after they have signed out',
    tests: ['test/browser/live/offline-cache.test.ts', 'test/browser/accounts/sign-in.test.ts'],
  },
  {
    name: 'dark-text-too-pale',
    breaks: 'A text of the dark theme has too little contrast',
    tests: ['test/browser/accounts/sign-in.test.ts', 'test/browser/app/every-screen.test.ts'],
  },
  {
    name: 'script-link',
    breaks: 'A link of a text may run a script',
    tests: ['web/src/lib/markdown', 'test/browser/tasks/markdown.test.ts'],
  },
  // Importers and jobs.
  {
    name: 'import-makes-tasks-twice',
    breaks: 'An import of the same file makes its tasks once more',
    tests: IMPORTERS,
  },
  {
    name: 'day-and-month-swapped',
    breaks: 'A file that writes the day first is read with the month first',
    tests: IMPORTERS,
  },
  {
    name: 'lost-lease-goes-on',
    breaks: 'A job whose lease another process has taken goes on writing',
    tests: ['src/jobs', 'test/importers/import-jobs.test.ts'],
  },
  {
    name: 'job-that-kills-forever',
    breaks: 'A job that ends its process is claimed after each start for ever',
    tests: ['src/jobs'],
  },
  {
    name: 'number-given-twice',
    breaks: 'New tasks are numbered by the highest number that exists',
    tests: ['test/concurrency/task-numbers.test.ts', 'src/resources/tasks/operations'],
  },
  {
    name: 'upload-row-before-file',
    breaks: 'The row of a file is written before the file',
    tests: ['test/uploads', 'src/resources/attachments', 'test/processes/drain.test.ts'],
  },
  {
    name: 'ended-grant-stays-cached',
    breaks: 'An authorization that was ended goes on in other processes',
    tests: ['test/oauth'],
  },
  {
    name: 'refresh-branches-go-on',
    breaks: 'All branches of refresh tokens that were used at once go on',
    tests: ['test/oauth/refresh-tokens.test.ts'],
  },
  {
    name: 'file-shown-inline',
    breaks: 'A browser shows a file instead of saving it',
    tests: ['test/uploads', 'src/resources/attachments'],
  },
  {
    name: 'migration-waits-for-locks',
    breaks: 'A migration waits for locks without end',
    tests: ['test/processes/upgrade.test.ts', 'test/storage/migrations.test.ts'],
  },
  {
    name: 'stop-cuts-requests',
    breaks: 'A stop cuts running requests',
    tests: ['test/processes/drain.test.ts', 'test/cli/start-and-stop.test.ts', 'src/server'],
  },
  {
    name: 'copied-database-sends',
    breaks: 'A copied data directory sends webhooks',
    tests: ['src/webhooks/installation-id.test.ts'],
  },
]
