import type { Page } from '@playwright/test'

/**
 * Adds the virtual authenticator of the browser (DevTools protocol, domain WebAuthn). With
 * conditional mediation, a passkey that a field offers is used at once; without, the browser does
 * not support it.
 */
export async function addVirtualAuthenticator(
  page: Page,
  { hasConditionalMediation = false } = {},
) {
  if (!hasConditionalMediation) {
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false
    })
  }
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}
