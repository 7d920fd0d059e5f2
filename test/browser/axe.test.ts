import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse, type Scene } from './support/browse.ts'
import { OF_TEXTS } from './support/each-screen.ts'

async function opened({ visitor, allow }: Scene): Promise<Page> {
  allow(401)
  const page = await visitor()
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  await accessible(page)
  return page
}

browse('control: axe finds low contrast that only the dark theme has', async (scene) => {
  const page = await opened(scene)
  await page.getByRole('main').evaluate((main) => {
    const text = Object.assign(document.createElement('p'), { textContent: 'Dark grey' })
    document.documentElement.style.colorScheme = 'light dark'
    text.style.color = 'light-dark(#000, #333)'
    main.append(text)
  })
  await assert.rejects(accessible(page), /in dark.*color-contrast/s)
  await accessible(page, { without: ['color-contrast'] })
})

browse('control: axe finds a field without a label', async (scene) => {
  const page = await opened(scene)
  await page
    .getByRole('heading', { level: 1 })
    .evaluate((heading) => heading.append(document.createElement('input')))
  await assert.rejects(accessible(page), /in light.*label/s)
  await assert.rejects(accessible(page, OF_TEXTS), /in light.*label/s)
})
