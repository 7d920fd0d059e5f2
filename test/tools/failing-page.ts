import { browserTest } from '../browser/support/browser-test.ts'

/** Not matched by the test run; `run-tests.test.ts` reads what the failing test leaves. */
browserTest('this test fails in a browser', async ({ as, team }) => {
  const page = await as('owner')
  await page.goto(`/w/${team.workspace}/my`)
  await page.getByRole('heading', { name: 'My work' }).waitFor()
  await page.evaluate(() => console.info('said on the console'))
  throw new Error('as it should')
})
