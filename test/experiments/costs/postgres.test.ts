import { test } from 'node:test'
import { assertSteadyCosts, isMeasured } from '../../costs/measure-costs.ts'

if (isMeasured('postgres')) {
  test('no request reads more pages among 50,000 tasks than among 1,000 (postgres)', () =>
    assertSteadyCosts('postgres'))
}
