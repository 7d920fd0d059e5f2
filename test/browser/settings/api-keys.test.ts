import assert from 'node:assert/strict'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import { browserTest } from '../support/browser-test.ts'
import { closeCopiedSecret } from '../support/close-secret.ts'
import { expect } from '../support/expect.ts'
import { ageSessions } from '../support/team.ts'

browserTest(
  'shows an API key once, which works until it is revoked',
  async ({ as, team, docket }) => {
    const page = await as('member', { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.goto(`/w/${team.workspace}/settings/api`)
    await page.getByRole('button', { name: 'New API key' }).click()
    await page.getByLabel('Name').fill('nightly-check')
    await page.getByLabel('Selected scopes').check()
    await expect(page.getByRole('button', { name: 'Create API key' })).toHaveAttribute(
      'aria-disabled',
      'true',
    )
    await page.getByLabel('Tasks: Read').check()
    await page.getByLabel('Expires').selectOption('0')
    await expect(page.getByText(/works until someone revokes it/)).toBeVisible()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Create API key' }).click()
    await expect(page.getByRole('heading', { name: 'nightly-check is ready.' })).toBeVisible()

    // Leaving the page before the key is copied asks for confirmation.
    await page.getByRole('link', { name: 'Profile' }).click()
    const confirmDialog = page.getByRole('dialog', { name: 'Leave without copying the API key?' })
    await confirmDialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(confirmDialog).toBeHidden()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Copy API key' }).click()
    const key = await page.evaluate(() => navigator.clipboard.readText())
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    assert.ok(command.includes(`Bearer ${key}`))
    await page.getByRole('button', { name: 'Done' }).click()
    assert.ok(!(await page.content()).includes(key))

    const [, url = ''] = /curl "([^"]+)"/.exec(command) ?? []
    const read = () => fetch(url, { headers: { authorization: `Bearer ${key}` } })
    assert.ok(url.startsWith(docket.url))
    assert.equal((await read()).status, 200)
    await page.getByRole('button', { name: 'Revoke nightly-check' }).click()
    await expect(page.getByText(/Revoked nightly-check \(dkt_/)).toBeVisible()
    await expect(page.getByRole('row', { name: /nightly-check/ })).toHaveCount(0)
    assert.equal((await read()).status, 401)
  },
)

browserTest('limits the requests per minute of an API key', async (fixture) => {
  const { as, team, docket, allow } = fixture
  allow(403, 422)
  const page = await as('member', { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto(`/w/${team.workspace}/settings/api`)
  await page.getByRole('button', { name: 'New API key' }).click()
  await page.getByLabel('Name').fill('importer')
  await page.getByLabel('Per minute', { exact: true }).fill('40')
  const { password } = team.people.member
  await ageSessions(docket, team.people.member)
  await page.getByRole('button', { name: 'Create API key' }).click()
  const confirmation = page.getByRole('dialog', { name: 'Confirm it is you' })
  await confirmation.getByLabel('Password').fill(password)
  await assertAccessible(page)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Copy API key' }).click()
  await closeCopiedSecret(page)
  await page.getByRole('button', { name: '40: change rate limit of importer' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rate limit of importer' })
  await assertAccessible(page, { within: OPEN_DIALOG })
  await dialog.getByLabel('Per minute', { exact: true }).fill('1000000000')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText(/must be below the limit of the workspace/)).toBeVisible()
  await dialog.getByLabel('Per minute', { exact: true }).fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  await expect(
    page.getByRole('button', { name: 'Workspace limit: change rate limit of importer' }),
  ).toBeVisible()
})
