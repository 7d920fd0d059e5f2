import { plural } from './plural.ts'
import { say } from './say.ts'

/** OAuth applications of the workspace, and what a person allows applications. */
export const m = say('applications', {
  why: 'Applications of others, or of your own, that act for a person who allows it. Each person sees what is asked, and can end it.',
  create: 'New app',
  columns: ['Secret', 'Name', 'Kind', 'Open to', 'Made'],
  actionsColumn: 'Actions',
  list: 'Applications',
  empty: 'No application is registered yet.',
  hint: (last: string) => `…${last}`,
  noSecret: 'none',
  kinds: { confidential: 'confidential', public: 'public' },
  openTo: { private: 'this workspace', public: 'all workspaces' },
  moreFor: (name: string) => `More for ${name}`,
  open: 'Show',
  edit: 'Edit',
  copyId: 'Copy client ID',
  idCopied: 'Client ID copied',
  remove: 'Delete',
  removeTitle: (name: string) => `Delete ${name}?`,
  removeWhy: (count: number, everywhere: boolean) =>
    [
      count === 0
        ? 'Nobody here allows it anything.'
        : plural(count, {
            one: '# authorisation here ends with the next request.',
            other: '# authorisations here end with the next request.',
          }),
      everywhere && 'Those in other workspaces end, too.',
      'Its client ID never works again. That cannot be undone.',
    ]
      .filter(Boolean)
      .join(' '),
  removed: (name: string) => `Deleted ${name}`,

  formNew: 'New application',
  formEdit: (name: string) => `Change ${name}`,
  name: 'Name',
  nameHint: 'Persons read it when they are asked.',
  about: 'About',
  aboutHint: 'One sentence that is shown to them, too.',
  homepage: 'Website',
  homepageHint: 'Its host is shown when they are asked.',
  kind: 'Kind',
  kindChoices: {
    confidential: 'Confidential',
    public: 'Public',
  },
  kindHints: {
    confidential: 'It runs on a server and can keep a secret.',
    public: 'It runs where anybody can read it: in a browser, on a phone, on a desk. No secret.',
  },
  kindFixed: (kind: string) => `It is ${kind}; that never changes.`,
  redirects: 'Returns to',
  redirect: (n: number) => `Redirect URI ${n}`,
  redirectsHint:
    'Compared character by character: https, or http on this computer. No wildcards, nothing after #.',
  redirectsPublic:
    'On 127.0.0.1 and [::1] any port will do. An own scheme needs a dot: com.example.app:/done.',
  addRedirect: 'Another address',
  removeRedirect: (n: number) => `Remove redirect URI ${n}`,
  distribution: 'Open to',
  distributions: {
    private: 'Persons of this workspace, for this workspace',
    public: 'Everybody on this installation, for any workspace of theirs',
  },
  scopesHint: 'The most that it may ask for. Deleting is apart, so that it can be denied.',
  noScope: 'Choose at least one scope.',
  createDo: 'Register',
  saved: 'Application saved',
  made: (name: string) => `Registered ${name}`,

  ready: (name: string) => `${name} is registered. Here is its secret.`,
  rotatedReady: (name: string) => `${name} has a new secret.`,
  stays: 'stays',
  copySecret: 'Copy secret',
  copyExample: 'Copy commands',
  secretWhy:
    'With it the application proves that it is itself. It cannot be shown again; rotating gives another. These commands try it once through:',
  secretFirst: 'Copy the secret first.',
  uncopiedTitle: 'The secret is not copied',
  uncopiedWhy: 'It cannot be shown again. Without a copy only rotating helps.',
  leave: 'Leave without it',
  rotate: 'Rotate secret',
  rotateTitle: (name: string) => `Give ${name} a new secret?`,
  rotateWhy:
    'The old one ends at once: the application cannot renew its access until it has the new one. What persons have allowed stays.',
  isPublic: 'A public application has no secret.',

  connect: (name: string) => `How ${name} connects`,
  clientId: 'Client ID',
  scopes: 'May ask',
  authorize: 'Authorise',
  token: 'Token',
  metadata: 'Metadata',
  example: 'Try it',
  exampleSteps: {
    open: 'Open what this prints in a browser',
    exchange: 'After Allow, put the code of the address in place of CODE',
  },

  grants: 'Authorisations',
  grantColumns: ['Since', 'Person', 'Scopes', 'Last used'],
  noGrants: 'Nobody here allows it anything yet.',
  neverUsed: 'not used yet',

  own: 'Authorised applications',
  ownWhy: 'They act as you in this workspace, within these scopes, until you revoke it.',
  ownColumns: ['Since', 'Application', 'Scopes', 'Last used'],
  ownNone: 'You allow no application to act for you.',
  revoke: 'Revoke',
  revokeOf: (name: string) => `Revoke ${name}`,
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeWhy:
    'Its access ends within a second. That cannot be undone: to act for you again, it has to ask you again.',
  revoked: (name: string) => `Revoked ${name}`,
})
