import { testCosts } from './measure-costs.ts'

testCosts('sqlite')
