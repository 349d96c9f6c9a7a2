import type { Metadata } from "next";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { themeScript } from "@/components/ui/theme";
import "./globals.css";

export const metadata: Metadata = {
  title: "Relight",
  description: "Kill an agent in the middle of a tool call, and watch it come back where it was.",
};

export default async function Layout({ children }: { children: ReactNode }) {
  const nonce = /'nonce-([^']+)'/.exec((await headers()).get("content-security-policy") ?? "")?.[1];
  return (
    // The script below may set the theme before React sees the page.
    <html lang="en" suppressHydrationWarning>
      <head>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of ours, with the page's nonce */}
        <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: themeScript }} />
      </head>
      <body>{children}</body>
    </html>
  );
}
