import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse, type Scene } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { seedTasks } from './support/seed.ts'

const BASE = 'First\nSecond\nThird\n\nFourth'

/** Lets nothing through to the page of what others do: it is in the middle of something. */
const deaf = (page: Page) => page.route('**/internal/live*', (route) => route.abort())

async function task({ ask, team }: Scene) {
  const [made] = await seedTasks({ ask, team }, 1, () => ({
    ...{ title: 'One', priority: 'low', description: BASE },
  }))
  assert.ok(made)
  return made
}

browse('what another changed is told at its field, and one of the two is chosen', async (scene) => {
  const { as, ask, team, allow } = scene
  allow(412, /ERR_FAILED/)
  const { id, short_id } = await task(scene)
  const page = await as('member')
  await deaf(page)
  await page.goto(`/w/${team.workspace}/t/${short_id}`)
  const title = (name: string) => page.getByRole('heading', { level: 1, name })
  const rename = async (to: string) => {
    await title('').waitFor()
    await page.keyboard.press('e')
    await page.getByLabel('Title').fill(to)
    await page.keyboard.press('Enter')
  }
  await title('One').waitFor()

  // Another field: both are kept, and nobody is asked.
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { priority: 'high' })
  await rename('Two')
  await expect(page.getByRole('button', { name: 'Priority: High. Change' })).toBeVisible()
  await expect(title('Two')).toBeVisible()

  // The same field: mine stays on the screen until one is chosen.
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { title: 'Theirs' })
  await rename('Mine')
  const strip = page.getByRole('alert').filter({ hasText: 'The owner set Theirs' })
  await expect(strip).toContainText('You wrote Mine')
  await expect(title('Mine')).toBeVisible()
  await accessible(page)
  await strip.getByRole('button', { name: 'Keep mine' }).click()
  await expect(strip).toBeHidden()
  await expect.poll(() => titleOf(ask, id)).toBe('Mine')

  await ask('owner', `PATCH /api/v1/tasks/${id}`, { title: 'Theirs again' })
  await rename('Mine again')
  await page.getByRole('button', { name: 'Take theirs' }).click()
  await expect(title('Theirs again')).toBeVisible()
  assert.equal(await titleOf(ask, id), 'Theirs again')
})

browse('two descriptions are merged by lines, and nothing of either is lost', async (scene) => {
  const { as, ask, team, allow } = scene
  allow(412, /ERR_FAILED/)
  const { id, short_id } = await task(scene)
  const page = await as('member')
  await deaf(page)
  await page.goto(`/w/${team.workspace}/t/${short_id}`)
  await page.getByText('Second').waitFor()
  await page.keyboard.press('Shift+E')
  const editor = page.getByLabel('Description', { exact: true })
  await editor.fill(BASE.replace('First', 'First of mine').replace('Third', 'Third of mine'))
  const theirs = BASE.replace('Fourth', 'Fourth of theirs').replace('Third', 'Third of theirs')
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { description: theirs })
  await page.keyboard.press('ControlOrMeta+Enter')
  const strip = page.getByRole('alert').filter({ hasText: 'The owner changed “Description”' })
  await expect(strip).toContainText('You both changed one place')
  const merged = strip.getByRole('textbox')
  await expect(merged).toHaveValue(
    'First of mine\nSecond\nThird of mine\nThird of theirs\n\nFourth of theirs',
  )
  await accessible(page)
  await merged.fill('First of mine\nSecond\nThird of both\nFourth of theirs')
  await strip.getByRole('button', { name: 'Save this' }).click()
  await expect(strip).toBeHidden()
  await page.getByText('Third of both').waitFor()
  const saved = () => ask<{ description: string }>('owner', `GET /api/v1/tasks/${id}`)
  await expect
    .poll(async () => (await saved()).description)
    .toBe('First of mine\nSecond\nThird of both\nFourth of theirs')
})

browse('a draft outlives the page, and knows on what it was begun', async (scene) => {
  const { as, ask, team, allow } = scene
  allow(412, /ERR_FAILED/)
  const { id, short_id } = await task(scene)
  const page = await as('member')
  await deaf(page)
  await page.goto(`/w/${team.workspace}/t/${short_id}`)
  await page.getByText('Second').waitFor()
  await page.keyboard.press('Shift+E')
  await page.getByLabel('Description', { exact: true }).fill(`${BASE}\nFifth`)
  await page.keyboard.press('Escape')
  await page.getByText('Comment, or @someone').click()
  await page.getByLabel('Comment', { exact: true }).fill('Half a thought')
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { description: BASE.replace('First', '1st') })
  await page.reload()
  await expect(page.getByLabel('Comment', { exact: true })).toHaveValue('Half a thought')
  await expect(page.getByLabel('Description', { exact: true })).toHaveValue(`${BASE}\nFifth`)
  await page.getByLabel('Description', { exact: true }).press('ControlOrMeta+Enter')
  const strip = page.getByRole('alert').filter({ hasText: 'The owner changed “Description”' })
  await expect(strip.getByRole('textbox')).toHaveValue('1st\nSecond\nThird\n\nFourth\nFifth')
  await strip.getByRole('button', { name: 'Take theirs' }).click()
  await page.getByText('1st').waitFor()
})

const titleOf = async (ask: Scene['ask'], id: string) =>
  (await ask<{ title: string }>('owner', `GET /api/v1/tasks/${id}`)).title
