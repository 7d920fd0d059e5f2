import { say } from './say.ts'

/** The page on which a person allows an application, or denies it. */
export const m = say('consent', {
  asks: (name: string) => `${name} asks to act for you`,
  app: 'app',
  from: 'It names as its home ',
  homeless: 'It names no home in the web.',
  workspace: 'In',
  noWorkspace:
    'It is not open to any workspace that you are in, so there is nothing to allow. Who registered it can open it to others.',
  may: 'In your name it may',
  grave: 'It may also do what cannot be taken back',
  never: 'It can never',
  nevers: {
    password: 'see your password, or sign in as you',
    elsewhere: (workspace: string) => `see or do anything outside of ${workspace}`,
    rights: 'do more than your role and your projects allow you',
    settings: 'change projects, members or settings',
    delete: 'delete anything',
  },
  resources: {
    projects: 'projects',
    tasks: 'tasks',
    comments: 'comments',
    time_entries: 'time',
    tags: 'tags',
    attachments: 'files',
    members: 'members',
    webhooks: 'webhooks',
    events: 'events',
  } as Record<string, string>,
  deny: 'Deny',
  allow: 'Allow',
  end: 'What you allow can be ended at any time, in the settings under API access.',
  next: 'then',
  goesTo: 'your browser goes to ',
  goesHere: 'your browser goes back to a program on this computer, at ',
  goesToApp: 'your browser opens the application ',
  youAre: 'You are',
  switch: 'Switch',
  switchHint: 'Sign out, and answer as somebody else',
  loading: 'An application asks',

  allowed: (name: string) => `${name} is allowed`,
  denied: (name: string) => `${name} is denied`,
  goBack: (name: string) =>
    `Your browser was sent back to ${name}. If nothing has opened, go back to it yourself.`,
  ended: 'This request has ended',
  endedWhy:
    'It was answered, took too long, or began in another browser. Go back to the application and start again.',
  trouble: 'The request cannot be shown',
  again: 'Try again',
  toWork: 'To my work',
})
