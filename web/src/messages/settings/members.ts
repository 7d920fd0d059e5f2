import { defineMessages } from '../define-messages.ts'
import { plural } from '../plural.ts'

/** Texts of members and invitations. */
export const memberMessages = defineMessages('members', {
  why: 'Members can work in all shared projects. Guests see only the projects you add them to.',
  list: 'Members',
  columns: ['Joined', 'Name', 'Email', 'Role', 'Last active'],
  actionsColumn: 'Actions',
  you: 'you',
  roleOf: (name: string) => `Role of ${name}`,
  roleChanged: (name: string, role: string) => `${name} is now ${role}`,
  lastOwner: 'A workspace needs an owner. Make someone else an owner first.',
  onlyOwners: 'Only owners can change this role.',
  neverActive: 'Never',
  remove: 'Remove',
  leave: 'Leave',
  removeOf: (name: string) => `Remove ${name}`,
  removeTitle: (name: string) => `Remove ${name} from the workspace?`,
  leaveTitle: 'Leave the workspace?',
  removeWhy: (name: string) =>
    `API keys, sessions and timers of ${name} in this workspace stop at once. Tasks and comments stay, and webhooks keep working.`,
  openTasks: (n: number, recurring: number, name: string) =>
    `${plural(n, { one: '# open task is assigned to', other: '# open tasks are assigned to' })} ${name}${recurring > 0 ? `, ${plural(recurring, { one: '# of them recurs', other: '# of them recur' })}` : ''}.`,
  led: (n: number, name: string) =>
    `${name} leads ${plural(n, { one: '# project', other: '# projects' })}.`,
  noOpenTasks: (name: string) => `${name} has no open tasks.`,
  counting: 'Counting open tasks …',
  tasksGo: 'Open tasks',
  tasksGoHints: {
    keep: 'Open tasks stay assigned to them. Projects they lead will have no lead.',
    nobody: 'Open tasks lose this assignee. Projects they lead will have no lead.',
    leads:
      'In projects that they lead or that have no lead, tasks become unassigned. Projects they lead will have no lead.',
    person:
      'The new assignee also leads the projects they lead. In projects that the new assignee can’t see, tasks become unassigned and there is no lead.',
  },
  keep: 'Keep assigned',
  unassign: 'Unassign',
  toLeads: 'Assign to each project’s lead',
  reassign: (name: string) => `Assign to ${name}`,
  removeDo: (name: string) => `Remove ${name}`,
  moving: (done: number, all: number) => `Reassigned ${done} of ${all} …`,
  removed: (name: string) => `Removed ${name}`,
  reassigned: (n: number) => plural(n, { one: '# task reassigned', other: '# tasks reassigned' }),
  unassigned: (n: number) => plural(n, { one: '# task unassigned', other: '# tasks unassigned' }),
  notMoved: (n: number) =>
    plural(n, {
      one: '# task or project could not be reassigned',
      other: '# tasks or projects could not be reassigned',
    }),
  invite: 'Invite',
  inviteTitle: 'Invite people',
  emails: 'Email addresses',
  emailsHint: 'Separate several with commas or new lines.',
  role: 'Role',
  guestProjects: 'Projects',
  guestProjectsHint:
    'Guests see only these projects. Without any, they see nothing until someone adds them to one.',
  inviteDo: (n: number) =>
    n === 0 ? 'Invite' : plural(n, { one: 'Invite # person', other: 'Invite # people' }),
  notEmails: (words: string) => `Not an email address: ${words}`,
  noEmail: 'Enter at least one email address.',
  invited: (n: number) =>
    plural(n, { one: '# invitation created.', other: '# invitations created.' }),
  invitedMailed:
    'We also sent them by email. The links work for seven days and are shown only now.',
  invitedNoMail: 'Send the links yourself. They work for seven days and are shown only now.',
  linkOf: (email: string) => `Link for ${email}`,
  copyLink: 'Copy link',
  copyLinkOf: (email: string) => `Copy link for ${email}`,
  copyAll: 'Copy all',
  refusedFor: (email: string, why: string) => `${email}: ${why}`,
  pending: 'Invitations',
  invitedColumns: ['Invited', 'Email', 'Role', 'Expires', 'Actions'],
  pendingBy: (name: string) => `by ${name}`,
  resend: 'New link',
  resendOf: (email: string) => `Create a new link for ${email}`,
  withdraw: 'Revoke',
  withdrawOf: (email: string) => `Revoke the invitation for ${email}`,
  withdrawn: (email: string) => `Revoked the invitation for ${email}`,
})
