// Valid JavaScript in a CommonJS folder: Node 20 runs it, too, although it does not know TypeScript.
import('./mirror.mjs')
