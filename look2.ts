import { launchChromium } from './test/browser/support/chromium.ts'
const base = 'http://127.0.0.1:4711'
const browser = await launchChromium()
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
const page = await context.newPage()
page.on('console', (m) => { if (m.type() === 'error') console.log('console', m.text()) })
page.on('pageerror', (e) => console.log('pageerror', e.message, e.stack?.slice(0, 600)))
await page.goto(base + '/sign-in')
await page.getByLabel('Email').fill('maya@demo.example')
await page.getByLabel('Password', { exact: true }).fill('PAXK5rJmLPJvQ2vV6t3M')
await page.keyboard.press('Enter')
await page.waitForURL(/setup/)
await page.waitForTimeout(1000)
await page.locator('input[name=name]').fill('Ada Test')
await page.locator('input[name=email]').fill('ada@example.com')
await page.locator('input[type=password]').first().fill('a long password 1')
await page.getByRole('button').last().click()
await page.waitForTimeout(2500)
const ws = /w\/([^/]+)/.exec(page.url())?.[1]
for (const [name, q] of [['my', 'my'], ['created', 'my?view=created'], ['blocked', 'my?view=blocked'], ['done', 'my?view=done'], ['search', 'all?f=prices'], ['closed', 'all?f=status%3Adone']] as const) {
  await page.goto(`${base}/w/${ws}/${q}`)
  await page.waitForTimeout(2500)
  await page.screenshot({ path: `/tmp/me/v-${name}.png` })
}
await browser.close()
