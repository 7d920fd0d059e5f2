import type { Page } from '@playwright/test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { expect } from '../expect.ts'
import type { TeamMember } from '../team.ts'
import type { TestServer } from '../test-server.ts'

/** Submits the sign-in form to which an authorization request was redirected. */
export async function submitSignInForm(page: Page, { email, password }: TeamMember): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Answers the consent screen. */
export const answerConsent = (page: Page, name: 'Allow' | 'Deny'): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

/** Waits until the main heading of the page has this text. */
export const expectHeading = (page: Page, text: string | RegExp): Promise<void> =>
  expect(page.getByRole('heading', { level: 1 })).toHaveText(text)

/** Waits for the consent screen and returns the id of its authorization request. */
export async function waitForConsent(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Deny', exact: true }).waitFor()
  return new URL(page.url()).pathname.split('/').at(-1) ?? ''
}

/** The ids of the applications that a person has granted access, used or not. */
export async function listGrantedApps(
  { storage }: TestServer,
  { id }: TeamMember,
): Promise<string[]> {
  const grants = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(selectGrants, { id }))
  return grants.map(({ application_id }) => application_id)
}

const selectGrants = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('grants').select('application_id').where('user_id', '=', $.id),
)

/** Posts a decision as the consent page would, from any page of this origin; returns the status. */
export const postConsentDecision = (page: Page, uid: string, body: object): Promise<number> =>
  page.evaluate(
    async ([path, text]) => {
      const headers = { 'content-type': 'application/json' }
      return (await fetch(path, { method: 'POST', headers, body: text })).status
    },
    [`/internal/oauth/interactions/${uid}`, JSON.stringify(body)] as const,
  )
