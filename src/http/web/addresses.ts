import type { Freedom } from './policy.ts'

/** An address of the web app, as the router writes it. */
export interface Address extends Pick<Freedom, 'referrer' | 'opener'> {
  /** Whether the page begins with GET /internal/boot. */
  boots?: boolean
}

/**
 * The addresses that the web app knows: they are answered with its page and 200. Which screen it is,
 * and whether the record in it exists, only the app can tell.
 */
export const ADDRESSES: Readonly<Record<string, Address>> = {
  '/sign-in': { opener: true },
  // Its address holds the answer of the company's provider.
  '/sign-in/company': { referrer: 'no-referrer' },
  '/sign-up': {},
  '/setup': {},
  '/forgot': {},
  '/deleted': {},
  '/no-workspace': {},
  '/second-factor': {},
  // Whoever has the address may set the password, or join.
  '/reset/:token': { referrer: 'no-referrer' },
  '/invite/:token': { referrer: 'no-referrer' },
  // Opened as a popup by applications that need to know its end.
  '/oauth/consent/:uid': { referrer: 'no-referrer', opener: true },
  '/start': { boots: true },
  '/t/:short_id': { boots: true },
  '/w/*': { boots: true },
}

/** Where a screen begins in the source, by address: its code is sent for before the app knows of it. */
export const SCREENS: readonly [addresses: RegExp, source: string][] = [
  [/^\/(sign-in|oauth\/consent\/[^/]+)$/, 'src/features/accounts/accounts.ts'],
  [/^\/(start|w\/[^/]+(\/my)?)$/, 'src/features/mine.ts'],
  [/^\/w\/[^/]+\/p\/[^/]+$/, 'src/features/tasks/project-page.tsx'],
  [/^\/(w\/[^/]+\/)?t\/[^/]+$/, 'src/features/task/task.ts'],
]
