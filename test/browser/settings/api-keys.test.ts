import assert from 'node:assert/strict'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'

browserTest('shows an API key once, which works until it is revoked', async (fixture) => {
  const { openAs, docket } = fixture
  const page = await openAs('member', 'settings/api', {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
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
  // Pages of http addresses have no such clipboard.
  await page.evaluate(() =>
    Object.defineProperty(navigator, 'clipboard', { configurable: true, value: undefined }),
  )
  await page.getByRole('button', { name: 'Copy API key' }).click()
  await page.evaluate(() => Reflect.deleteProperty(navigator, 'clipboard'))
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
})
