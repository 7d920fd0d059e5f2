import { defineMessages } from '../define-messages.ts'

/** Texts of the OAuth consent page. */
export const consentMessages = defineMessages('consent', {
  asks: (name: string) => `${name} wants to access your account`,
  app: 'app',
  from: 'Unverified website: ',
  noHomepage: 'No website provided.',
  workspace: 'Workspace',
  noWorkspace:
    'This application is not available in any of your workspaces, so there is nothing to allow. Its developer can make it available to all workspaces.',
  may: 'This application will be able to',
  grave: 'It will also be able to make permanent changes',
  never: 'It will not be able to',
  nevers: {
    password: 'see your password, or sign in as you',
    elsewhere: (workspace: string) => `see or change anything outside ${workspace}`,
    rights: 'do anything that you can’t do yourself',
    settings: 'change projects, members or workspace settings',
    delete: 'delete anything',
  },
  resources: {
    projects: 'projects',
    tasks: 'tasks',
    comments: 'comments',
    time_entries: 'time entries',
    tags: 'tags',
    attachments: 'attach\u00adments',
    members: 'members',
    webhooks: 'webhooks',
    events: 'events',
  } as Record<string, string>,
  deny: 'Deny',
  allow: 'Allow',
  end: 'You can revoke access at any time under Settings → Integrations.',
  next: 'then',
  goesTo: 'your browser goes to ',
  goesHere: 'your browser returns to a program on this computer, at ',
  goesToApp: 'your browser opens the app ',
  youAre: 'Signed in as',
  switch: 'Switch account',
  switchHint: 'Sign out and continue with another account',
  loading: 'Authorization request',

  allowed: (name: string) => `You gave ${name} access`,
  denied: (name: string) => `You denied access to ${name}`,
  goBack: (name: string) =>
    `Your browser was sent back to ${name}. If nothing opened, return to it yourself.`,
  ended: 'This request has expired',
  endedWhy:
    'It was already answered, took too long, or started in another browser. Return to the application and start again.',
  trouble: 'This request could not be loaded',
  again: 'Try again',
  toWork: 'Go to My work',
})
