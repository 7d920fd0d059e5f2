import assert from 'node:assert/strict'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { openScreen } from '../support/page-actions.ts'
import { holdRequests, routeRequests } from '../support/route-requests.ts'
import { signInByForm } from '../support/seed.ts'

browserTest('changes the profile and password, and ends other sessions', async (fixture) => {
  const { visitor, openAs, team, allow } = fixture
  allow(401, 404, 422, /ERR_FAILED/)
  const person = team.people.member
  const page = await visitor()
  await signInByForm(page, person)
  const other = await openAs('member', 'my')
  await openScreen(page, `/w/${team.workspace}/settings/profile`)
  const personalForm = page.getByRole('form', { name: 'Account' })
  // "English" of a British browser is British English, here as on the other screens.
  const example = personalForm.getByText(/^Example: \w+,? \d{1,2} \w+ \d{4}, 1,204\.5/)
  await expect(example).toBeVisible()
  await personalForm.getByLabel('Name').fill('Mei Tanaka')
  await personalForm.getByLabel('Time zone').selectOption('Asia/Tokyo')
  const release = await holdRequests(page, '**/internal/account')
  await personalForm.getByRole('button', { name: 'Save' }).click()
  // What is typed while the form is being saved stays.
  await personalForm.getByLabel('Name').fill('Mei Tanaka-Ono')
  release()
  await expect(page.getByText('Profile saved')).toBeVisible()
  await expect(personalForm.getByLabel('Name')).toHaveValue('Mei Tanaka-Ono')
  await expect(page.getByRole('heading', { name: 'Mei Tanaka' })).toBeVisible()

  await page.getByLabel('Theme', { exact: true }).selectOption('dark')
  await page.getByLabel('Row height', { exact: true }).selectOption('roomy')
  await page.getByLabel(/Single-key shortcuts/).uncheck()
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await expect(page.locator('html')).toHaveAttribute('data-density', 'roomy')
  await expect(page.getByLabel(/Single-key shortcuts/)).not.toBeChecked()
  await expect(personalForm.getByLabel('Time zone')).toHaveValue('Asia/Tokyo')

  const form = page.getByRole('form', { name: 'Sign-in' })
  await form.getByLabel('New password').fill('another fine sentence')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByLabel('Current password')).toBeFocused()
  await form.getByLabel('Current password').fill('not it')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByLabel('Current password')).toHaveAttribute('aria-invalid', 'true')
  await expect(form.getByLabel('New password')).toHaveValue('another fine sentence')
  await form.getByLabel('Current password').fill(person.password)
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText(/^Password changed/)).toBeVisible()
  await other.goto(`/w/${team.workspace}/my`)
  await other.waitForURL('**/sign-in?next=**')

  await signInByForm(other, { ...person, password: 'another fine sentence' })
  await page.reload()
  await expect(page.getByText('this device', { exact: true })).toHaveCount(1)
  // The session ends a moment before the request that is to end it.
  await routeRequests(page, '**/internal/sessions/*', async (route) => {
    await route.fetch()
    await route.fallback()
  })
  await page.getByRole('button', { name: 'Sign out all other devices' }).click()
  await expect(page.getByText('Signed out 1 other device')).toBeVisible()
  await other.goto(`/w/${team.workspace}/my`)
  await other.waitForURL('**/sign-in?next=**')

  await routeRequests(page, '**/internal/session', (route) => route.abort())
  const devices = page.getByRole('region', { name: 'Devices' })
  await devices.getByRole('button', { name: 'Sign out', exact: true }).click()
  await expect(page.getByText('Docket is not responding.')).toBeVisible()
})

browserTest(
  'shows another name, role or removal of a member without reading all again',
  async (fixture) => {
    const { as, openAs, team } = fixture
    const page = await openAs('owner', 'p/ENG')
    await page.getByText('Live').waitFor()
    await openScreen(page, `/w/${team.workspace}/settings/members`)
    const row = (name: string) => page.getByRole('row').filter({ hasText: name })
    await expect(row('The member')).toBeVisible()
    const release = await holdRequests(page, /\/internal\/boot|\/workspace\/members/)
    const other = await as('admin')
    await other.goto(`/w/${team.workspace}/settings/members`)
    await other.getByLabel('Role of The guest').selectOption('member')
    await expect(page.getByLabel('Role of The guest')).toHaveValue('member')
    await other.getByRole('button', { name: 'Remove The guest' }).click()
    await other.getByRole('dialog').getByRole('button', { name: 'Remove The guest' }).click()
    await expect(row('The guest')).toHaveCount(0)
    const own = await openAs('member', 'settings/profile')
    await own.getByLabel('Name').fill('Robin Keller')
    await own.getByRole('button', { name: 'Save' }).first().click()
    await expect(row('Robin Keller')).toBeVisible()
    release()
  },
)

browserTest('changes a role, and removes a member whose tasks are moved', async (fixture) => {
  const { openAs, team, ask } = fixture
  const { member, admin } = team.people
  const task = await ask<{ id: string }>('owner', 'POST /api/v1/tasks', {
    project_id: team.project,
    title: 'Somebody has to',
    assignee_ids: [member.id],
  })
  const page = await openAs('owner', 'p/ENG/settings')
  await page.getByLabel('Lead').selectOption('The member')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await expect(page.getByText('Saved').first()).toBeVisible()
  await openScreen(page, `/w/${team.workspace}/settings/members`)
  await page.getByLabel('Role of The guest').selectOption('member')
  await expect(page.getByText('The guest is now a member')).toBeVisible()
  await page.getByRole('button', { name: 'Remove The member' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('1 open task is assigned to The member.')).toBeVisible()
  await expect(dialog.getByText('The member leads 1 project.')).toBeVisible()
  await dialog.getByLabel('Open tasks').selectOption({ label: 'Assign to The admin' })
  await assertAccessible(page, { within: OPEN_DIALOG })
  await dialog.getByRole('button', { name: 'Remove The member' }).click()
  await expect(page.getByText('Removed The member, 1 task reassigned')).toBeVisible()
  const now = await ask<{ assignee_ids: string[] }>('owner', `GET /api/v1/tasks/${task.id}`)
  assert.deepEqual(now.assignee_ids, [admin.id])
  await openScreen(page, `/w/${team.workspace}/p/ENG/settings`)
  await expect(page.getByLabel('Lead')).toHaveValue(admin.id)

  await openScreen(page, `/w/${team.workspace}/settings/workspace`)
  await page.getByLabel('Name').fill('Halden Works')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Workspace saved')).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Name')).toHaveValue('Halden Works')
  // Here both plans have the same limits.
  await expect(page.getByLabel('Plan')).toHaveCount(0)
})
