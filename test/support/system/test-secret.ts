/** The secret of every Docket under test, also of those that share data. */
export const TEST_SECRET = 'a secret of the tests only'
