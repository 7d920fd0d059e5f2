import type { Role } from '#core/actor.ts'
import { DEMO_EMAIL_DOMAIN } from '#core/mailer.ts'

export type DemoPerson = 'maya' | 'jonas' | 'priya' | 'tom' | 'elif'

/** The people of the demo workspace. The first one is its owner. */
export const DEMO_PEOPLE: Record<DemoPerson, { name: string; role: Role }> = {
  maya: { name: 'Maya Okafor', role: 'owner' },
  jonas: { name: 'Jonas Keller', role: 'admin' },
  priya: { name: 'Priya Raman', role: 'member' },
  tom: { name: 'Tom Lindqvist', role: 'member' },
  elif: { name: 'Elif Demir', role: 'guest' },
}

export const demoEmailOf = (who: DemoPerson) => `${who}@${DEMO_EMAIL_DOMAIN}`

export type DemoProject = 'website' | 'portal'

export const DEMO_PROJECTS = {
  website: {
    name: 'Website relaunch',
    prefix: 'DEMO',
    color: '#6366f1',
    icon: '🚀',
    description: 'The new site, from the first interview to the launch.',
    lead: 'priya',
    tags: {
      design: '#8b5cf6',
      content: '#0ea5e9',
      frontend: '#22c55e',
      bug: '#ef4444',
      launch: '#f59e0b',
    },
  },
  portal: {
    name: 'Customer portal',
    prefix: 'PORT',
    color: '#0d9488',
    icon: '🔑',
    description: 'Invoices, contracts and support for the customers that we have.',
    lead: 'tom',
    tags: { feature: '#6366f1', support: '#0ea5e9', security: '#f59e0b', bug: '#ef4444' },
  },
} as const

export type DemoTag = {
  [project in DemoProject]: keyof (typeof DEMO_PROJECTS)[project]['tags']
}[DemoProject]

/**
 * A comment, written some days from today or some minutes ago; by default on the day on which work
 * on the task began. `{maya}` in its text mentions her. Replies follow within the hour.
 */
export interface DemoComment {
  by: DemoPerson
  text: string
  on?: number
  minutesAgo?: number
  replies?: readonly { by: DemoPerson; text: string }[]
}

/** A task of the demo. Days are counted from today, so those that are over are negative. */
export interface DemoTask {
  title: string
  /** By this key other tasks refer to it as their parent or blocker. */
  key?: string
  description?: string
  by?: DemoPerson
  assignees?: readonly DemoPerson[]
  /** When it was created, when work on it began, and when its first assignee completed it. */
  days: readonly [created: number, started?: number, completed?: number]
  reviewOn?: number
  canceledOn?: number
  isBacklog?: true
  priority?: 'low' | 'medium' | 'high' | 'urgent'
  tags?: readonly DemoTag[]
  /** By default the days on which it was started and completed. */
  start?: number
  due?: number
  /** A later due date, set on a day. */
  postponed?: { on: number; due: number }
  /** Estimated, and logged on the days of work before today. */
  hours?: number
  spent?: number
  notes?: readonly string[]
  parent?: string
  blockedBy?: readonly string[]
  comments?: readonly DemoComment[]
  /** A timer that its first assignee started so many minutes ago. */
  runningMinutes?: number
}
