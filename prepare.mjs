// What npm runs after an install and before a package is made. After `npm ci` it builds Sigil and its
// page. For `npm pack` and `npm publish` it builds without source maps, as the package has no sources,
// and with the types of the package's entry. `npm ci --omit=dev` has no compiler: it keeps the build
// that is there, or ends with what to do. `node prepare.mjs page` builds the page alone.

import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))
const compiler = `${root}node_modules/typescript/bin/tsc`
const bundler = `${root}node_modules/vite/bin/vite.js`
const isPackage = ['pack', 'publish'].includes(process.env.npm_command ?? '')

function run(...args) {
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1
}

function buildPage() {
  if (existsSync(bundler)) return run(bundler, 'build', '--config', 'src/studio/vite.config.ts')
  console.error('sigil: the page is not built, as Vite is not installed: run `npm ci`.')
  // A package without its page is none; at work the rest of the build is of use.
  return isPackage ? 1 : 0
}

if (process.argv[2] === 'page') {
  process.exitCode = buildPage()
} else if (existsSync(compiler)) {
  // The next `npm run build` writes every file again, with its source map.
  if (isPackage) rmSync(`${root}build/.tsbuildinfo`, { force: true })
  process.exitCode = run(compiler, '-p', isPackage ? 'tsconfig.package.json' : '.') || buildPage()
} else if (existsSync(`${root}build/src/main.js`)) {
  console.log('sigil: no compiler is installed; the build in build/ is used as it is.')
} else {
  console.error(
    'sigil: there is no build yet, and no compiler is installed. Run `npm ci` first, which builds,\n' +
      'and then `npm ci --omit=dev`. Or copy build/ here from a machine that has it.',
  )
  process.exitCode = 1
}
