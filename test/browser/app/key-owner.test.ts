import type { Page } from '@playwright/test'
import { browserTest, expect } from '../support/browser-test.ts'
import { seedTasks } from '../support/seed.ts'

const rowOf = (page: Page, number: number) => page.locator(`[data-number="${number}"]`)
const paletteField = (page: Page) => page.getByRole('combobox', { name: 'Search or run a command' })

browserTest('Enter that ends a composition submits nothing', async (fixture) => {
  const { openAs } = fixture
  await seedTasks(fixture, 1)
  const page = await openAs('member', 'p/ENG')
  await rowOf(page, 1).focus()
  const pressEnter = (how: 'composing' | 'code 229' | 'after the end' | 'later') =>
    page
      .locator('input:focus, textarea:focus, [contenteditable]:focus')
      .evaluate(async (field, how) => {
        const createEnter = () => {
          const init = { key: 'Enter', bubbles: true, cancelable: true }
          const isComposing = how === 'composing'
          const keyCode = how === 'code 229' ? 229 : 13
          return new KeyboardEvent('keydown', { ...init, isComposing, keyCode })
        }
        const isAfter = how === 'after the end' || how === 'later'
        // An event has the time at which it is made, and a slow page takes a while to handle one.
        const end = new CompositionEvent('compositionend', { bubbles: true })
        const enter = createEnter()
        if (isAfter) field.dispatchEvent(end)
        if (how === 'later') await new Promise((resolve) => setTimeout(resolve, 100))
        field.dispatchEvent(how === 'later' ? createEnter() : enter)
      }, how)
  const expectOnlyLaterSubmits = async (expectOpen: () => Promise<void>) => {
    for (const how of ['composing', 'code 229', 'after the end'] as const) {
      await pressEnter(how)
      await expectOpen()
    }
    await pressEnter('later')
  }

  await page.keyboard.press('e')
  const title = page.getByRole('textbox', { name: 'Title of ENG-1' })
  await expect(title).toBeFocused()
  await page.keyboard.type('日本')
  await expectOnlyLaterSubmits(() => expect(title).toBeFocused())
  await expect(rowOf(page, 1)).toContainText('日本')

  await page.keyboard.press('n')
  const added = page.getByRole('combobox', { name: /^New task in/ })
  await expect(added).toBeFocused()
  await page.keyboard.type('新しい')
  await expectOnlyLaterSubmits(() => expect(added).toHaveValue('新しい'))
  await expect(added).toHaveValue('')
  await page.keyboard.press('Escape')

  await page.keyboard.press('Control+k')
  await expect(paletteField(page)).toBeFocused()
  await page.keyboard.type('inbox')
  await expectOnlyLaterSubmits(() => expect(paletteField(page)).toHaveValue('inbox'))
  await expect(paletteField(page)).toHaveCount(0)
})
