import type { DocumentOptions } from './document-headers.ts'

/** Options of a route of the web app. */
export interface WebAppRoute extends Pick<DocumentOptions, 'referrer' | 'opener'> {
  /** Whether the page begins with GET /internal/boot, which is then preloaded. */
  preloadsBootData?: boolean
}

/**
 * The routes of the web app by path. All of them reply 200 with the same page; only the app in the
 * browser finds out whether the record in the address exists.
 */
export const WEB_APP_ROUTES: Readonly<Record<string, WebAppRoute>> = {
  '/sign-in': { opener: true },
  // The address contains the authorization response of the company's provider.
  '/sign-in/company': { referrer: 'no-referrer' },
  '/sign-up': {},
  '/setup': {},
  '/forgot': {},
  '/deleted': {},
  '/no-workspace': {},
  '/second-factor': {},
  // The address is a secret: it allows setting the password, confirming an address, or joining.
  '/reset/:token': { referrer: 'no-referrer' },
  '/confirm-email/:token': { referrer: 'no-referrer' },
  '/invite/:token': { referrer: 'no-referrer' },
  // Applications open it as a popup and need to notice when it closes.
  '/oauth/consent/:uid': { referrer: 'no-referrer', opener: true },
  '/start': { preloadsBootData: true },
  '/t/:short_id': { preloadsBootData: true },
  '/w/*': { preloadsBootData: true },
}

/** The source file of the screen at each path, so that the page can preload its code. */
export const SCREEN_SOURCES: readonly [paths: RegExp, source: string][] = [
  [/^\/(sign-in|oauth\/consent\/[^/]+)$/, 'src/features/accounts/accounts.ts'],
  [/^\/(start|w\/[^/]+(\/my)?)$/, 'src/features/my-work/screens-bundle.ts'],
  [/^\/w\/[^/]+\/p\/[^/]+$/, 'src/features/project-view/project-page.tsx'],
  [/^\/(w\/[^/]+\/)?t\/[^/]+$/, 'src/features/task-detail/task-detail.ts'],
]
