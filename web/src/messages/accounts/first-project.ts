import { defineMessages } from '../define-messages.ts'

/** The form for the first project of a workspace, and the first people in it. */
export const firstProjectMessages = defineMessages('firstProject', {
  title: 'Your first project',
  why: 'Every task belongs to a project. You can add more projects and people at any time.',
  name: 'Project name',
  emails: ['Invite by email', 'And another person'],
  emailsHint: 'Optional. To copy the links of invitations, open Settings → Members.',
  open: 'Open project',
  later: 'Later',
})
