/** The sections of the settings: the person's own, and those of the workspace. */
export const SECTIONS = {
  own: ['profile', 'api'],
  shared: ['members', 'webhooks', 'applications', 'workspace', 'audit'],
} as const

export type Section = (typeof SECTIONS)[keyof typeof SECTIONS][number]

export const isSection = (name: string): name is Section =>
  [...SECTIONS.own, ...SECTIONS.shared].some((section) => section === name)
