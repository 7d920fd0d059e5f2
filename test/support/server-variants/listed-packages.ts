import { registerHooks } from 'node:module'

/**
 * A server that on SIGUSR2 prints which packages it has loaded, and `undici (of Node)` if Node has
 * loaded its own copy for fetch.
 */
const loaded = new Set<string>()
registerHooks({
  load(url, context, next) {
    const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
    if (name !== undefined) loaded.add(name)
    return next(url, context)
  },
})
process.on('SIGUSR2', () => {
  const modules = Reflect.get(process, 'moduleLoadList') as string[]
  if (modules.includes('NativeModule internal/deps/undici/undici')) loaded.add('undici (of Node)')
  console.error(`loaded: ${JSON.stringify([...loaded])}`)
})
await import('../../../src/main.ts')
