import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { browserTest, expect } from '../support/browser-test.ts'
import { openList } from '../support/page-actions.ts'
import { seedTasks } from '../support/seed.ts'

const TEXT = 'Everything that has to be ready before the first customers come.'

browserTest('a dialog asks before what was entered is lost', async ({ openAs }) => {
  const page = await openAs('admin', 'projects')
  const dialog = await openNewProject(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()

  await openNewProject(page)
  await dialog.getByLabel('Description').fill(TEXT)
  const question = page.getByRole('dialog', { name: 'Discard what you have entered?' })
  const dismissals = [
    () => page.keyboard.press('Escape'),
    () => page.mouse.click(5, 5),
    () => dialog.getByRole('button', { name: 'Close' }).click(),
  ]
  for (const dismiss of dismissals) {
    await dismiss()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect(question).toBeHidden()
    await expect(dialog.getByLabel('Description')).toHaveValue(TEXT)
    // The keys are for the dialog once it has the focus again.
    await expect(dialog.locator(':focus')).toHaveCount(1)
  }
  await page.keyboard.press('Escape')
  await question.getByRole('button', { name: 'Discard' }).click()
  await expect(dialog).toBeHidden()
  await openNewProject(page)
  await expect(dialog.getByLabel('Description')).toHaveValue('')
  await dialog.getByLabel('Name').fill('Launch')
  await dialog.getByRole('button', { name: 'Create project' }).click()
  // What is saved leads to another screen without a question.
  await expect(page.getByRole('heading', { level: 1, name: 'Launch' })).toBeVisible()
})

browserTest('settings ask before edits are lost by leaving', async ({ as, team }) => {
  const page = await as('admin')
  const settings = `/w/${team.workspace}/p/ENG/settings`
  await page.goto(settings)
  // What asks is loaded after the first screen.
  await page.getByRole('region', { name: 'Messages' }).waitFor({ state: 'attached' })
  await page.getByLabel('Description').fill(TEXT)
  await page.getByRole('link', { name: 'Statuses' }).click()
  const question = page.getByRole('dialog', { name: 'Discard what you have entered?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  const asked = page.waitForEvent('dialog')
  const reloading = page.evaluate(() => location.reload())
  const dialog = await asked
  assert.equal(dialog.type(), 'beforeunload')
  await dialog.dismiss()
  await reloading
  await expect(page.getByLabel('Description')).toHaveValue(TEXT)

  // Another prefix is another address, at which the form is not.
  const other = await as('owner')
  const renamed = await other.request.patch(`/internal/projects/${team.project}`, {
    data: { prefix: 'DEV' },
    headers: { origin: new URL(page.url()).origin },
  })
  assert.equal(renamed.status(), 200)
  await expect(page.getByRole('link', { name: 'DEV' }).first()).toBeVisible()
  await expect(page.getByLabel('Description')).toHaveValue(TEXT)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Statuses' }).click()
  await expect(page).toHaveURL(/tab=statuses/)

  await page.getByRole('button', { name: 'Add status' }).click()
  await page.getByRole('link', { name: 'People' }).click()
  await question.getByRole('button', { name: 'Discard' }).click()
  await expect(page).toHaveURL(/tab=people/)
})

browserTest('a task asks before a custom field or a rule is lost', async (fixture) => {
  fixture.allow(412)
  const [task] = await seedTasks(fixture, 2, (n) => ({ title: n === 0 ? 'First' : 'Second' }))
  const page = await openList(fixture, 'First')
  const question = page.getByRole('dialog', { name: 'Discard what you have entered?' })
  await page.getByRole('row', { name: /First/ }).press('Enter')
  await page.getByRole('button', { name: 'Add property' }).click()
  await page.getByRole('button', { name: 'Custom field' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('customer')
  await page.getByRole('link', { name: 'Second' }).click()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('textbox', { name: 'Value' }).fill('Acme')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'customer: Acme. Change' })).toBeVisible()

  await page.getByRole('button', { name: /^Repeat: / }).click()
  const form = page.getByRole('dialog', { name: 'Repeat' })
  await page.keyboard.press('Escape')
  await expect(form).toBeHidden()
  await page.getByRole('button', { name: /^Repeat: / }).click()
  await form.getByLabel('Every').selectOption('week')
  await page.keyboard.press('Escape')
  await question.getByRole('button', { name: 'Cancel' }).click()
  const address = `/api/v1/tasks/${task?.id}`
  const readRule = async () => {
    const { recurrence } = await fixture.ask<{ recurrence: { rrule: string } | null }>(
      'owner',
      `GET ${address}`,
    )
    return recurrence?.rrule
  }
  const theirs = { rrule: 'FREQ=DAILY', basis: 'completion' }
  await fixture.ask('owner', `PATCH ${address}`, { recurrence: theirs })
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByRole('alert')).toBeVisible()
  assert.equal(await readRule(), theirs.rrule)
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: /^Repeat: every week/ }).waitFor()
  assert.equal(await readRule(), 'FREQ=WEEKLY')
  await page.getByRole('link', { name: 'Second' }).click()
  await expect(page.getByRole('heading', { name: 'Second' })).toBeVisible()
})

async function openNewProject(page: Page) {
  await page.getByRole('button', { name: 'New project' }).click()
  const dialog = page.getByRole('dialog', { name: 'New project' })
  await expect(dialog.getByLabel('Name')).toBeFocused()
  return dialog
}
