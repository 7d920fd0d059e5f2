/** Takes the place of `@ungap/structured-clone`: every browser that runs the app has its own. */
const cloned = <T>(value: T): T => structuredClone(value)

export { cloned as default }
