import type { Role } from '#wire/rights.ts'
import { defineMessages } from '../define-messages.ts'

interface RoleTexts {
  name: string
  /** In a sentence about a person. */
  inSentence: string
  /** What somebody with the role may do. */
  hint: string
}

const ENGLISH_ROLES: Readonly<Record<Role, RoleTexts>> = {
  owner: { name: 'Owner', inSentence: 'an owner', hint: 'Everything, including the plan' },
  admin: { name: 'Admin', inSentence: 'an admin', hint: 'All projects, people and webhooks' },
  member: {
    name: 'Member',
    inSentence: 'a member',
    hint: 'Works in projects, creates projects and API keys',
  },
  guest: { name: 'Guest', inSentence: 'a guest', hint: 'Only the projects you add them to' },
}

/** Texts of the roles of a workspace. */
export const roleMessages = defineMessages('roles', ENGLISH_ROLES)
