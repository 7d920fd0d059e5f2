import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { openList } from '../support/open-list.ts'
import { seedTasks } from '../support/seed.ts'

interface SavedValues {
  title: string
  custom_fields: Record<string, string>
}

interface Recurring {
  recurrence: { rrule: string } | null
}

/** Each types a value into a field that is saved when it is left. */
const EDITS: Record<string, (page: Page) => Promise<void>> = {
  'a title in a row': async (page) => {
    await page.getByRole('row', { name: /First/ }).press('e')
    await page.getByRole('textbox', { name: 'Title' }).fill('Second')
  },
  'the title of the open task': async (page) => {
    await page.getByRole('row', { name: /First/ }).press('Enter')
    await page.getByRole('heading', { name: 'First' }).dblclick()
    await page.getByRole('textbox', { name: 'Title' }).fill('Second')
  },
  'a property': async (page) => {
    await page.getByRole('row', { name: /First/ }).press('Enter')
    await page.getByRole('button', { name: /^customer: / }).click()
    await page.getByRole('textbox', { name: /^customer: / }).fill('Globex')
  },
}

for (const [what, edit] of Object.entries(EDITS)) {
  browserTest(`saves ${what} that is being typed when the page is reloaded`, async (fixture) => {
    const custom_fields = { customer: 'Acme' }
    const [task] = await seedTasks(fixture, 1, () => ({ title: 'First', custom_fields }))
    assert.ok(task)
    const readTask = () => fixture.ask<SavedValues>('owner', `GET /api/v1/tasks/${task.id}`)
    const page = await openList(fixture, 'First')
    await edit(page)
    await page.reload()
    await expect
      .poll(async () => [(await readTask()).title, (await readTask()).custom_fields.customer])
      .toEqual(what === 'a property' ? ['First', 'Globex'] : ['Second', 'Acme'])
  })
}

browserTest('asks before a new custom field or a changed rule is lost', async (fixture) => {
  await seedTasks(fixture, 2, (n) => ({ title: n === 0 ? 'First' : 'Second' }))
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
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: /^Repeat: every week/ }).waitFor()
  await page.getByRole('link', { name: 'Second' }).click()
  await expect(page.getByRole('heading', { name: 'Second' })).toBeVisible()
})

browserTest(
  'a rule that others have changed meanwhile is replaced by the second save',
  async (fixture) => {
    fixture.allow(412)
    const [task] = await seedTasks(fixture, 1, () => ({ title: 'First' }))
    const address = `/api/v1/tasks/${task?.id}`
    const readRule = async () => {
      const { recurrence } = await fixture.ask<Recurring>('owner', `GET ${address}`)
      return recurrence?.rrule
    }
    const page = await openList(fixture, 'First')
    await page.getByRole('row', { name: /First/ }).press('Enter')
    await page.getByRole('button', { name: 'Add property' }).click()
    await page.getByRole('button', { name: 'Repeat' }).click()
    const form = page.getByRole('dialog', { name: 'Repeat' })
    await form.getByLabel('Every').selectOption('week')
    const theirs = { rrule: 'FREQ=DAILY', basis: 'completion' }
    await fixture.ask('owner', `PATCH ${address}`, { recurrence: theirs })
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(form.getByRole('alert')).toBeVisible()
    assert.equal(await readRule(), theirs.rrule)
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(form).toBeHidden()
    assert.equal(await readRule(), 'FREQ=WEEKLY')
  },
)

browserTest(
  'saves the name of a tag that is being typed when the person goes back',
  async (fixture) => {
    const { as, ask, team } = fixture
    const address = `/api/v1/projects/${team.project}/tags`
    await ask('owner', `POST ${address}`, { name: 'bug' })
    const readNames = async () => {
      const { data } = await ask<{ data: { name: string }[] }>('owner', `GET ${address}`)
      return data.map(({ name }) => name)
    }
    const page = await as('owner')
    await page.goto(`/w/${team.workspace}/p/ENG/settings`)
    await page.getByRole('link', { name: 'Tags' }).click()
    await page.getByRole('textbox', { name: 'Rename bug' }).fill('defect')
    await page.goBack()
    await expect.poll(readNames).toEqual(['defect'])
  },
)

browserTest(
  'a former id of a task leads to the present one without a step back',
  async (fixture) => {
    const { as, team } = fixture
    const [task] = await seedTasks(fixture, 1, () => ({ title: 'First' }))
    const owner = await as('owner')
    const renamed = await owner.request.patch(`/internal/projects/${team.project}`, {
      data: { prefix: 'DEV' },
      headers: { origin: fixture.docket.url },
    })
    assert.equal(renamed.status(), 200)
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/inbox`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.goto(`/w/${team.workspace}/t/${task?.short_id}`)
    await expect(page).toHaveURL(/\/t\/DEV-1$/)
    await page.goBack()
    await expect(page).toHaveURL(/\/inbox$/)
  },
)
