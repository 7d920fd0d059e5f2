import { defineMessages } from '../define-messages.ts'
import { plural } from '../plural.ts'

/** Texts of OAuth applications and of a person's grants to them. */
export const applicationMessages = defineMessages('applications', {
  why: 'OAuth applications act for people who authorize them. Everyone sees what an application asks for, and can revoke it at any time.',
  create: 'New application',
  columns: ['Secret', 'Name', 'Type', 'Available to', 'Created'],
  actionsColumn: 'Actions',
  list: 'Applications',
  empty: 'No applications yet. Register one to let people connect it to their account.',
  hint: (last: string) => `…${last}`,
  noSecret: 'None',
  kinds: { confidential: 'confidential', public: 'public' },
  openTo: { private: 'this workspace', public: 'all workspaces' },
  moreFor: (name: string) => `More for ${name}`,
  open: 'View',
  edit: 'Edit',
  copyId: 'Copy client ID',
  idCopied: 'Client ID copied',
  remove: 'Delete',
  removeTitle: (name: string) => `Delete ${name}?`,
  removeWhy: (count: number, everywhere: boolean) =>
    [
      count === 0
        ? 'No one in this workspace has authorized it.'
        : plural(count, {
            one: '# authorization in this workspace is revoked.',
            other: '# authorizations in this workspace are revoked.',
          }),
      everywhere && 'Authorizations in other workspaces are revoked, too.',
      'Its client ID stops working. This cannot be undone.',
    ]
      .filter(Boolean)
      .join(' '),
  removed: (name: string) => `Deleted ${name}`,

  formNew: 'New application',
  formEdit: (name: string) => `Edit ${name}`,
  name: 'Name',
  nameHint: 'People see it when they authorize the application.',
  about: 'Description',
  aboutHint: 'One sentence about what it does. People see it, too.',
  homepage: 'Website',
  homepageHint: 'People see its host name when they authorize the application.',
  kind: 'Type',
  kindChoices: {
    confidential: 'Confidential',
    public: 'Public',
  },
  kindHints: {
    confidential: 'Runs on a server and can keep a secret.',
    public: 'Runs in a browser, on a phone or on a desktop. Has no secret.',
  },
  kindFixed: (kind: string) => `This application is ${kind}. You cannot change its type.`,
  redirects: 'Redirect URIs',
  redirect: (n: number) => `Redirect URI ${n}`,
  redirectsHint:
    'Must match exactly. Use https, or http for this computer. No wildcards and no fragment (#).',
  redirectsPublic:
    '127.0.0.1, [::1] and localhost match any port. A custom scheme needs a dot, such as com.example.app:/done.',
  addRedirect: 'Add redirect URI',
  removeRedirect: (n: number) => `Remove redirect URI ${n}`,
  distribution: 'Available to',
  distributions: {
    private: 'People in this workspace only',
    public: 'Everyone on this installation, in any of their workspaces',
  },
  scopesHint: 'The scopes it may ask for. Delete is separate from write, so you can leave it out.',
  noScope: 'Select at least one scope.',
  createDo: 'Register application',
  saved: 'Application saved',
  made: (name: string) => `Registered ${name}`,

  ready: (name: string) => `${name} is registered. Copy its secret now.`,
  rotatedReady: (name: string) => `${name} has a new secret. Copy it now.`,
  stays: 'stays in the list',
  copySecret: 'Copy secret',
  copyExample: 'Copy commands',
  secretWhy:
    'The application authenticates with this secret. You will not see it again; rotate it to get a new one. Try it with these commands:',
  secretFirst: 'Copy the secret first.',
  uncopiedTitle: 'Leave without copying the secret?',
  uncopiedWhy: 'You will not see it again. If you lose it, rotate it.',
  leave: 'Leave without copying',
  rotate: 'Rotate secret',
  rotateTitle: (name: string) => `Rotate the secret of ${name}?`,
  rotateWhy:
    'The old secret stops working at once, and the application cannot renew its access until it has the new one. Existing authorizations stay.',
  isPublic: 'Public applications have no secret.',

  connect: (name: string) => `Connect ${name}`,
  clientId: 'Client ID',
  scopes: 'Scopes',
  authorize: 'Authorize',
  token: 'Token',
  metadata: 'Metadata',
  example: 'Try it',
  exampleSteps: {
    open: 'Open the printed address in your browser',
    exchange: 'After you allow access, replace CODE with the code from the address',
  },

  grants: 'Authorizations',
  grantColumns: ['Since', 'Person', 'Scopes', 'Last used'],
  noGrants: 'No one in this workspace has authorized it yet.',
  neverUsed: 'Never used',

  own: 'Authorized applications',
  ownWhy:
    'These applications act as you in this workspace, within these scopes, until you revoke them.',
  ownColumns: ['Since', 'Application', 'Scopes', 'Last used'],
  ownNone: 'No authorized applications',
  revoke: 'Revoke',
  revokeOf: (name: string) => `Revoke ${name}`,
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeWhy: 'It loses access at once. To reconnect, it needs your permission again.',
  revoked: (name: string) => `Revoked ${name}`,
})
