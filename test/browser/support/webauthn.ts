import type { Page } from '@playwright/test'

/** The browser's own authenticator, which needs no finger: DevTools protocol, domain WebAuthn. */
export async function withAuthenticator(page: Page) {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
}
