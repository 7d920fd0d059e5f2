import type { Page } from '@playwright/test'
import { preparePassword, setPassword } from '#auth/users/accounts.ts'
import { deriveSetupToken } from '#auth/workspaces/first-owner.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { findFreePort } from '../../support/system/free-port.ts'
import { TEST_SECRET } from '../../support/system/test-secret.ts'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTestWithoutAccounts, expect } from '../support/browser-test.ts'
import { loseNextReply } from '../support/route-requests.ts'
import { signInByForm } from '../support/seed.ts'

const port = await findFreePort()
const INITIAL_PASSWORD = 'printed on first start'
const userOf = unscopedQuery((db, $: { email: string }) =>
  db.selectFrom('users').select('id').where('email', '=', $.email),
)

browserTestWithoutAccounts(
  'the first start replaces the printed credentials and can remove the demo workspace',
  { env: { DOCKET_DEMO: '1' } },
  async ({ visitor, docket, allow }) => {
    allow(422)
    const email = 'maya@demo.example'
    const { hash } = await preparePassword(INITIAL_PASSWORD)
    await docket.storage.write(ANONYMOUS_ACTOR, async (tx) => {
      const user = await tx.one(userOf, { email })
      await setPassword(tx, user?.id ?? '', hash)
    })
    const page = await visitor({ timezoneId: 'Europe/Zurich' })
    await page.goto('/sign-in')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(INITIAL_PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/setup')
    await expect(page.getByLabel('Time zone')).toHaveValue('Europe/Zurich')
    await page.getByLabel('Name', { exact: true }).fill('Ines Okafor')
    await page.getByLabel('Email').fill('ines@halden.example')
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByLabel('Delete it and start empty').check()
    await page.getByLabel('Workspace name').fill('Halden Works')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Ines Okafor')
    const password = 'correct horse battery staple'
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Save and continue' }).click()
    await page.getByRole('heading', { name: 'Your first project' }).waitFor()
    await page.getByRole('button', { name: 'Later' }).click()
    await page.waitForURL('**/w/*/my')
    await expect(page.getByText('Tasks belong to a project')).toBeVisible()
    await page.goto('/setup')
    await expect(page.getByText('This account is already set up')).toBeVisible()
    const other = await visitor()
    const person = { id: '', role: 'owner' as const, name: '', key: '' }
    await signInByForm(other, { ...person, email: 'ines@halden.example', password })
    await expect(other.getByText('Halden Works').first()).toBeVisible()
  },
)

browserTestWithoutAccounts(
  'the first owner of an installation that others can reach enters the setup token, in German',
  { env: { DOCKET_HOST: '0.0.0.0', DOCKET_BASE_URL: `http://127.0.0.1:${port}` }, port },
  async ({ visitor, allow }) => {
    allow(422)
    const page = await visitor({ locale: 'de-AT', timezoneId: 'Europe/Vienna' })
    await page.goto('/sign-up')
    await page.getByLabel('Name', { exact: true }).fill('Ines Okafor')
    await page.getByLabel('E-Mail').fill('ines@halden.example')
    await page.getByLabel('Passwort', { exact: true }).fill('ein ganzer Satz')
    await page.getByLabel('Workspace').fill('Halden')
    const token = page.getByLabel('Einrichtungscode')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Konto erstellen' }).click()
    await expect(token).toBeFocused()
    await expect(page.getByText('docket setup-token gibt ihn erneut aus').first()).toBeVisible()
    await token.fill(deriveSetupToken(TEST_SECRET))
    await page.getByRole('button', { name: 'Konto erstellen' }).click()
    // The account keeps the language in which it was created.
    await page.getByLabel('Projektname').fill('Über uns')
    await page.getByRole('button', { name: 'Projekt öffnen' }).click()
    await page.getByRole('heading', { level: 1, name: 'Über uns' }).waitFor()
    const boot = await page.request.get('/internal/boot')
    expect((await boot.json()).session.user.locale).toBe('de')
  },
)

browserTestWithoutAccounts(
  'the first sign-up creates the owner and a first project, and later ones need an invitation',
  {},
  async ({ visitor, allow }) => {
    allow(422, /ERR_CONNECTION_RESET/)
    const page = await visitor()
    await page.goto('/sign-in')
    await page.waitForURL('**/sign-up')
    await page.getByLabel('Name', { exact: true }).fill('Ines Okafor')
    await page.getByLabel('Email').fill('not an address')
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple')
    await page.getByLabel('Workspace name').fill('Halden')
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect(page.getByLabel('Email')).toBeFocused()
    await page.getByLabel('Email').fill('ines@halden.example')
    await page.getByRole('button', { name: 'Create account' }).click()

    await page.getByLabel('Project name').fill('Relaunch')
    await page.getByLabel('Invite by email').fill('mei@halden.example')
    await page.getByLabel('And another person').fill('not an address')
    await assertAccessible(page)
    await loseNextReply(page, '**/internal/projects')
    await page.getByRole('button', { name: 'Open project' }).click()
    await expect(page.getByRole('alert')).toHaveText('Docket is not responding.')
    await page.getByRole('button', { name: 'Open project' }).click()
    await expect(page.getByLabel('And another person')).toBeFocused()
    const readInvitations = async (): Promise<{ id: string; email: string }[]> =>
      (await (await page.request.get('/internal/invitations')).json()).data
    const first = await readInvitations()
    expect(first).toMatchObject([{ email: 'mei@halden.example' }])
    await page.getByLabel('And another person').fill('tomas@halden.example')
    await page.getByRole('button', { name: 'Open project' }).click()
    await page.waitForURL('**/w/*/p/*')
    await expect(page.getByRole('heading', { level: 1, name: 'Relaunch' })).toBeVisible()
    const invitations = await readInvitations()
    expect(invitations).toHaveLength(2)
    // The first person keeps the link that was sent.
    expect(invitations).toContainEqual(first[0])
    const boot = await page.request.get('/internal/boot')
    expect((await boot.json()).projects).toHaveLength(1)
    await expectChecklist(page)
    const laterVisitor = await visitor()
    await laterVisitor.goto('/sign-up')
    await expect(laterVisitor.getByText('Sign-up is by invitation only')).toBeVisible()
  },
)

/** A checklist that leads to each of its steps, and stays in the sidebar until it is dismissed. */
async function expectChecklist(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Getting started' })
  const checklist = page.getByRole('dialog', { name: 'Getting started' })
  await button.click()
  await assertAccessible(page)
  await checklist.getByRole('button', { name: 'Invite colleagues' }).click()
  await page.waitForURL('**/settings/members')
  await expect(page.getByText('mei@halden.example')).toBeVisible()
  await page.goBack()
  await page.reload()
  await button.click()
  await expect(checklist.getByRole('img', { name: 'done' })).toHaveCount(1)
  await checklist.getByRole('button', { name: 'Create a task' }).click()
  await page.getByRole('combobox', { name: 'Title' }).fill('Our first task')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByRole('row', { name: /Our first task/ })).toBeVisible()
  await button.click()
  await checklist.getByRole('button', { name: 'Dismiss' }).click()
  await expect(button).toHaveCount(0)
  await page.reload()
  await page.getByRole('row', { name: /Our first task/ }).waitFor()
  await expect(button).toHaveCount(0)
}
