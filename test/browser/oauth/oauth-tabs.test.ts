import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { browserTest } from '../support/browser-test.ts'
import {
  answerConsent,
  expectHeading,
  listGrantedApps,
  postConsentDecision,
  submitSignInForm,
  waitForConsent,
} from '../support/oauth/consent-page.ts'
import { startWebApplication } from '../support/oauth/web-application.ts'
import { createSessionCookie } from '../support/team.ts'

const signOut = (page: Page) =>
  page.evaluate(async () => (await fetch('/internal/session', { method: 'DELETE' })).status)

browserTest('authorization requests in several tabs get one answer each', async (fixture) => {
  const { as, docket, team, allow } = fixture
  allow(401, 404)
  const [notes, clock] = [
    await startWebApplication(fixture),
    await startWebApplication(fixture, { name: 'Clock' }),
  ]
  const page = await as('member')
  const tabs = [page, await page.context().newPage(), await page.context().newPage()] as const
  const [first, second, third] = tabs
  await first.goto(notes.loginUrl())
  await Promise.all([second.goto(notes.loginUrl()), third.goto(clock.loginUrl())])
  const uid = await waitForConsent(first)
  await Promise.all([waitForConsent(second), waitForConsent(third)])
  await Promise.all([
    answerConsent(first, 'Allow'),
    answerConsent(second, 'Deny'),
    answerConsent(third, 'Allow'),
  ])
  await Promise.all([
    expectHeading(first, 'Hello The member of Test'),
    expectHeading(second, 'Refused: access_denied'),
    expectHeading(third, 'Hello The member of Test'),
  ])
  const apps = await listGrantedApps(docket, team.people.member)
  assert.deepEqual(apps.toSorted(), [notes.app.id, clock.app.id].toSorted())

  // An answered request cannot be answered again, neither by going back nor by the API call.
  await first.goBack()
  await expectHeading(first, 'This request has expired')
  const allowing = { decision: 'allow', workspace_id: team.workspace }
  assert.equal(await postConsentDecision(first, uid, allowing), 404)
  assert.equal((await listGrantedApps(docket, team.people.member)).length, 2)
})

browserTest('consent ends with the session that it was asked in', async (fixture) => {
  const { as, docket, team, allow } = fixture
  allow(401, 404)
  const { loginUrl, callbacks } = await startWebApplication(fixture)
  const page = await as('owner')
  // The person signs out meanwhile, and signs in again with the same account.
  await page.goto(loginUrl())
  await waitForConsent(page)
  const tab = await page.context().newPage()
  await tab.goto('/sign-in')
  assert.equal(await signOut(tab), 204)
  await answerConsent(page, 'Allow')
  await submitSignInForm(page, team.people.owner)
  await expectHeading(page, 'This request has expired')
  // Nor may another person answer, who has signed in meanwhile in another tab.
  await page.goto(loginUrl())
  await waitForConsent(page)
  await page.context().addCookies([await createSessionCookie(docket, team, 'member')])
  await answerConsent(page, 'Allow')
  await expectHeading(page, 'This request has expired')
  assert.deepEqual(callbacks(), [])
  for (const role of ['owner', 'member'] as const) {
    assert.deepEqual(await listGrantedApps(docket, team.people[role]), [])
  }
  await page.goto(loginUrl())
  await answerConsent(page, 'Allow')
  await expectHeading(page, 'Hello The member of Test')
})
