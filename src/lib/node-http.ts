/**
 * Classes of `node:http` for modules that run at the start. An `import` from `node:http` reads every
 * export, among them those that load Node's WebSocket and fetch, which take 16 MiB of memory.
 */
export const { IncomingMessage, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule('node:http')
