import type { Role } from '#core/actor.ts'

export type Who = 'maya' | 'jonas' | 'priya' | 'tom' | 'elif'

/** The people of the demo workspace; the first owns it. */
export const CAST: Record<Who, { name: string; role: Role }> = {
  maya: { name: 'Maya Okafor', role: 'owner' },
  jonas: { name: 'Jonas Keller', role: 'admin' },
  priya: { name: 'Priya Raman', role: 'member' },
  tom: { name: 'Tom Lindqvist', role: 'member' },
  elif: { name: 'Elif Demir', role: 'guest' },
}

export type Label = 'design' | 'content' | 'frontend' | 'bug' | 'launch'

export const LABELS: Record<Label, string> = {
  design: '#8b5cf6',
  content: '#0ea5e9',
  frontend: '#22c55e',
  bug: '#ef4444',
  launch: '#f59e0b',
}

/** A comment; `{maya}` in it mentions her. */
export interface Said {
  by: Who
  text: string
  replies?: readonly Said[]
}

/** Time spent; `daysAgo` in working hours, or a timer that runs since some minutes. */
export type Spent =
  | { by: Who; hours: number; daysAgo: number; note?: string; billable?: boolean }
  | { by: Who; runningMinutes: number; note?: string }

/** A task of the demo. Days are counted from today. */
export interface Scene {
  /** By which others name it as their parent or what blocks them. */
  key?: string
  title: string
  description?: string
  by?: Who
  status?: 'backlog' | 'todo' | 'in_progress' | 'in_review' | 'canceled'
  /** It was completed, by whoever is first to be assigned. */
  done?: true
  priority?: 'low' | 'medium' | 'high' | 'urgent'
  labels?: readonly Label[]
  who?: readonly Who[]
  start?: number
  due?: number
  hours?: number
  parent?: string
  after?: readonly string[]
  rrule?: string
  said?: readonly Said[]
  spent?: readonly Spent[]
}
