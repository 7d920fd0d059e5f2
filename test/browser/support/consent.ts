import type { Page } from '@playwright/test'
import { NOBODY } from '#core/actor.ts'
import { queryOfAll } from '#storage/statement.ts'
import type { Docket } from './docket.ts'
import { expect } from './expect.ts'
import type { Person } from './team.ts'

/** Fills in the form to sign in, where an application has led to it. */
export async function fillIn(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Answers what an application asks. */
export const answer = (page: Page, name: 'Allow' | 'Deny'): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

/** Waits until the page says this. */
export const isTold = (page: Page, text: string | RegExp): Promise<void> =>
  expect(page.getByRole('heading', { level: 1 })).toHaveText(text)

/** Waits for the question, and gives the name of the request that it belongs to. */
export async function askedIn(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Deny', exact: true }).waitFor()
  return new URL(page.url()).pathname.split('/').at(-1) ?? ''
}

/** For which applications a person has allowed anything, whether it was made use of or not. */
export async function allowedBy({ storage }: Docket, { id }: Person): Promise<string[]> {
  const grants = await storage.read(NOBODY, (tx) => tx.all(grantsOf, { id }))
  return grants.map(({ application_id }) => application_id)
}

const grantsOf = queryOfAll((db, $: { id: string }) =>
  db.selectFrom('grants').select('application_id').where('user_id', '=', $.id),
)

/** Sends a decision as the page itself would, from wherever the page is on this origin: the status. */
export const decided = (page: Page, uid: string, body: object): Promise<number> =>
  page.evaluate(
    async ([path, text]) => {
      const headers = { 'content-type': 'application/json' }
      return (await fetch(path, { method: 'POST', headers, body: text })).status
    },
    [`/internal/oauth/interactions/${uid}`, JSON.stringify(body)] as const,
  )
