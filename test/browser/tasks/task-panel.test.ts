import assert from 'node:assert/strict'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { seedTasks } from '../support/seed.ts'

browserTest('the task panel takes the focus and returns it on Escape', async (fixture) => {
  const { as, team } = fixture
  const assignedToMember = () => ({ assignee_ids: [team.people.member.id] })
  const [one, two] = await seedTasks(fixture, 2, (n) => ({
    title: `Number ${n + 1}`,
    ...assignedToMember(),
  }))
  assert.ok(one && two)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/my`)
  const link = page.locator('main').getByRole('link', { name: 'Number 1' })
  await link.focus()
  await page.keyboard.press('Enter')
  const panel = page.getByRole('complementary', { name: /^Task ENG-/ })
  await expect(panel.getByRole('heading', { name: /Number 1/ })).toBeFocused()
  await expect(page).toHaveURL(/\/my\?task=ENG-1$/)
  const order = await page.locator('main .title').allInnerTexts()
  await page.keyboard.press(order[0] === 'Number 1' ? ']' : '[')
  await expect(panel.getByRole('heading', { name: /Number 2/ })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(panel).toBeHidden()
  await expect(page).toHaveURL(/\/my$/)
  await expect(page.locator('[data-open="ENG-2"]').first()).toBeFocused()

  // A click keeps the focus where it is, and Escape still closes the panel.
  await link.click()
  await expect(panel.getByRole('heading', { name: /Number 1/ })).toBeVisible()
  await expect(link).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(panel).toBeHidden()

  // A deletion takes the row that opened the panel away.
  await page.keyboard.press('Enter')
  await expect(panel.getByRole('heading', { name: /Number 1/ })).toBeFocused()
  await page.keyboard.press('#')
  await expect(panel).toBeHidden()
  await expect(link).toHaveCount(0)
  await expect(page.locator('[data-open="ENG-2"]').first()).toBeFocused()
})

browserTest('keys in the task panel leave the task under the cursor alone', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 3, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.locator('[data-number="1"]').focus()
  await page.keyboard.press('Enter')
  const heading = page.locator('.panel [data-heading]')
  await expect(heading).toContainText('Task 1')
  await page.keyboard.press(']')
  await expect(heading).toContainText('Task 2')
  // Now the board comes together with the panel.
  await page.keyboard.press('2')
  await expect(page.locator('.board [data-number="2"]')).toBeVisible()
  await heading.focus()
  await page.keyboard.press('x')
  await page.keyboard.press('Alt+ArrowRight')
  await page.keyboard.press('#')
  await expect(page.locator('.board [data-number="2"]')).toHaveCount(0)
  const todo = page.getByRole('region', { name: 'To do', exact: true })
  await expect(todo.locator('[data-number]')).toHaveCount(2)
  await expect(page.locator('[data-selected]')).toHaveCount(0)
})
