/**
 * The two parsers from npm, loaded when the first header needs them: loading one takes half as long as starting
 * `node`, and a home of plain headers needs none. Invariant 1: every engine but YAML refuses, since gray-matter runs
 * JavaScript headers.
 */
import type GrayMatter from 'gray-matter'
import type * as Yaml from 'yaml'

export type YamlModule = typeof Yaml
export type MatterFunction = typeof GrayMatter

let yamlModule: YamlModule | null = null
let matterFunction: MatterFunction | null = null

export function yaml(): YamlModule {
  yamlModule ??= load('yaml') as YamlModule
  return yamlModule
}

/** Call it with options: without them it caches by content and returns shared data. */
export function matter(): MatterFunction {
  matterFunction ??= load('gray-matter') as MatterFunction
  return matterFunction
}

/** Engines for gray-matter of which only `parse` can run, however the fence spells its language. */
export function onlyYaml(
  parse: (source: string) => object,
): Record<string, { parse(source: string): object }> {
  const refuse = { parse: refuseLanguage }
  return { yaml: { parse }, javascript: refuse, js: refuse, json: refuse, coffee: refuse }
}

function refuseLanguage(): never {
  throw new Error('Header language is not allowed: use a plain --- line')
}

function load(name: string): unknown {
  return process.getBuiltinModule('module').createRequire(import.meta.url)(name)
}
