// A CycloneDX 1.6 bill of materials. The same release gives the same bytes.

import { createHash } from "node:crypto";

import type { ShippedPackage } from "./packages.ts";

export interface Release {
  readonly version: string;
  readonly commit: string;
  /** Seconds since the epoch. */
  readonly time: number;
  readonly bun: string;
}

/** @param lockfile bun.lock, for the packages' checksums */
export function sbom(
  release: Release,
  packages: readonly ShippedPackage[],
  lockfile: string,
): string {
  const own = `pkg:generic/atomic@${release.version}`;
  const components = [
    component({ name: "bun", version: release.bun, licence: "MIT" }, lockfile),
    ...packages.map((each) => component(each, lockfile)),
  ];
  const body = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: new Date(release.time * 1000).toISOString().replace(/\.\d+Z$/, "Z"),
      component: {
        type: "application",
        "bom-ref": own,
        name: "atomic",
        version: release.version,
        purl: own,
        licenses: [{ license: { id: "MIT" } }],
        properties: [{ name: "commit", value: release.commit }],
      },
    },
    components,
    dependencies: [{ ref: own, dependsOn: components.map((each) => each["bom-ref"]) }],
  };
  const serial = uuidOf(JSON.stringify(body));
  const { bomFormat, specVersion, ...rest } = body;
  return `${JSON.stringify({ bomFormat, specVersion, serialNumber: `urn:uuid:${serial}`, ...rest }, undefined, 2)}\n`;
}

function component(
  { name, version, licence, homepage }: Omit<ShippedPackage, "text">,
  lockfile: string,
) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const hash = new RegExp(
    `"${RegExp.escape(`${name}@${version}`)}",.*"sha512-([A-Za-z0-9+/=]+)"\\]`,
  ).exec(lockfile)?.[1];
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    ...(hash !== undefined && {
      hashes: [{ alg: "SHA-512", content: Buffer.from(hash, "base64").toString("hex") }],
    }),
    licenses: /[ (]/.test(licence) ? [{ expression: licence }] : [{ license: { id: licence } }],
    ...(homepage !== undefined && {
      externalReferences: [{ type: "website", url: homepage }],
    }),
  };
}

/** Version 8 of RFC 9562: of our own making, here a hash. */
function uuidOf(text: string): string {
  const hash = createHash("sha256").update(text).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x80;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join("-");
}
