import assert from 'node:assert/strict'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'

browse('a key is shown once, works, and ends when it is revoked', async ({ as, team, docket }) => {
  const page = await as('member', { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto(`/w/${team.workspace}/settings/api`)
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('nightly-check')
  await page.getByLabel('Do what is chosen').check()
  await expect(page.getByRole('button', { name: 'Create key' })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  await page.getByLabel('Tasks: Read').check()
  await page.getByLabel('Expires').selectOption('0')
  await expect(page.getByText(/works until somebody revokes it/)).toBeVisible()
  await accessible(page)
  await page.getByRole('button', { name: 'Create key' }).click()
  await expect(page.getByRole('heading', { name: 'nightly-check is ready.' })).toBeVisible()

  // Leaving uncopied asks; staying keeps it on the page.
  await page.getByRole('link', { name: 'Profile' }).click()
  const asked = page.getByRole('dialog', { name: 'The key is not copied' })
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await expect(asked).toBeHidden()
  await accessible(page)
  await page.getByRole('button', { name: 'Copy key' }).click()
  const key = await page.evaluate(() => navigator.clipboard.readText())
  await page.getByRole('button', { name: 'Copy curl' }).click()
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
