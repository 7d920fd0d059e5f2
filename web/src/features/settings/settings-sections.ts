/** The names of the sections, as in the URL: personal ones, and those of the workspace. */
export const SETTINGS_SECTIONS = {
  own: ['profile', 'api'],
  shared: ['members', 'webhooks', 'applications', 'workspace', 'audit'],
} as const

export type SettingsSection = (typeof SETTINGS_SECTIONS)[keyof typeof SETTINGS_SECTIONS][number]

export const isSettingsSection = (name: string): name is SettingsSection =>
  [...SETTINGS_SECTIONS.own, ...SETTINGS_SECTIONS.shared].some((section) => section === name)
