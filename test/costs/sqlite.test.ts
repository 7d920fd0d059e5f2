import { test } from 'node:test'
import { assertSteadyCosts, isMeasured } from './measure-costs.ts'

if (isMeasured('sqlite')) {
  test('no request reads more pages among 50,000 tasks than among 1,000 (sqlite)', () =>
    assertSteadyCosts('sqlite'))
}
