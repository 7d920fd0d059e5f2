import { testCosts } from './measure-costs.ts'

testCosts('postgres')
