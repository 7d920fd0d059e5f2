import type { Page } from '@playwright/test'

/**
 * The browser's own authenticator, which needs no finger: DevTools protocol, domain WebAuthn. What `offers` passkeys
 * in a field has one taken as soon as there is one; the others are browsers that cannot.
 */
export async function withAuthenticator(page: Page, { offers = false } = {}) {
  if (!offers) {
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false
    })
  }
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
}
